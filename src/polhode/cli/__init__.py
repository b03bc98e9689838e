"""The ``polhode`` command: a file for each subcommand, `parser` for what it is told.

`main` turns errors into one line and a status; `terminal` says what to print and how. Each
subcommand imports what it needs when it runs, so that ``--help`` is quick.  May import `arguments`,
`errors`, `files`, `spatial`, `model`, `constraint_sets`, `algorithms`, `compiler`, `binding`,
`api`, `scene`, `collision`, `recording`, `simulation`, `batch`, `formats`, `viewer` and `examples`.
"""

from .main import main

__all__ = ["main"]
