"""Build time: tool specs in, a checked Python package out."""
