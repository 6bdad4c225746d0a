"""The templates of the generated modules; only toolgen.compiler.python.templates reads them."""
