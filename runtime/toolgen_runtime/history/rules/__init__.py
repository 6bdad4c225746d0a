"""A history that breaks no rule, made from one that does."""
