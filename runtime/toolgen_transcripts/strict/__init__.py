"""Strict modes: the subsets of JSON Schema for which a provider guarantees that calls match the schema."""
