"""Printers from straight-line code to machine code, and the drivers around it.

A printer for each language (`llvm`, `c`, `ptx`, `wasm`); `elementary` has sine, exp and the like,
written over the operands of `emitter` (LLVM) and of `c_emitter`.  `function_text` and `literals`
are what writers of LLVM share, those of `jit` too.  `kernel`, `sections`, `joins`, `slots` and
`layout` cut long code into pieces, of which `alike` writes those of one structure once; `driver`,
`fastcall` and `pool` loop over states.
May import `graph`, `scalar`, `once` and `interrupts`.
"""
