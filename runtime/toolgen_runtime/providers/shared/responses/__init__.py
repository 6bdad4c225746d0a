"""The calls of whole responses."""
