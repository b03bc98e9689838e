"""Pages of the book: a chapter, a model, and its dynamics as WebAssembly in one file.

``python -m scripts.book`` writes them to ``build/book``.  `chapters` says which there are, `models`
makes their models, `page` puts one together, `markdown` and `sources` turn text and code into
HTML, `drawing` makes triangles of a model.
"""
