"""Names of the two functions of a compiled function that Python calls."""

ENTRY = "polhode.entry"
END = "arena.end"
