"""Tools as typed functions: the client of a package, and declarations for a model's context."""
