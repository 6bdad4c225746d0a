"""Prove that a schema accepts every value that another schema accepts."""
