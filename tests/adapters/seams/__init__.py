"""How a question is put to an agent of each framework, with a script for a model: one module a seam."""
