"""Write tools as typed functions, for the client of a package and for declarations that a model reads."""
