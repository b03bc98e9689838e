"""Names of the two functions of a compiled function that Python calls."""

ENTRY = "polhode.entry"
END_ARENA = "arena.end"
