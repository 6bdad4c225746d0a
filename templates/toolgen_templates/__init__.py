"""The templates of the generated modules; only toolgen.python.templates reads them."""
