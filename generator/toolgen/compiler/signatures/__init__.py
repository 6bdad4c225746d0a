"""Write tools as typed functions: the client of a package, and the declarations that a model reads."""
