"""Names of the two functions of a compiled loop that Python calls."""

ENTRY = "polhode.entry"
END = "arena.end"
