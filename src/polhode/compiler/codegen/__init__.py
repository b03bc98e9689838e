"""Printers from straight-line code to machine code, and the drivers around it.

A printer for each language (`llvm`, `c`, `ptx`, `wasm`) with its elementary functions; `kernel`,
`sections` and `layout` cut long code into pieces; `driver`, `fastcall` and `pool` loop over states.
May import `graph`, `once` and `interrupts`.
"""
