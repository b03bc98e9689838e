"""Pages of the book: a chapter, a model, and its dynamics as WebAssembly in one file.

``python -m scripts.book`` writes them to ``build/book``.  `chapters` says which there are, with
`constraints` and `contact` for the last two.  `models` makes their models, `page` puts one
together, `markdown` and `sources` turn text and code into HTML, `drawing` makes triangles of a
model.  `ground` prepares the contact solver, which `wasm_object` compiles to WebAssembly.
"""
