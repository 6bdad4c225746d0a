"""Templates of the generated modules; read by toolgen.python.templates alone."""
