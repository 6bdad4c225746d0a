"""A conversation's checks within agent frameworks, one module a framework; each imports its own when it is used."""
