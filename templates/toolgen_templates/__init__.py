"""Templates of the generated modules; read by toolgen.render alone."""
