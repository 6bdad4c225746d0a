"""Prove that one schema accepts every value that another schema accepts."""
