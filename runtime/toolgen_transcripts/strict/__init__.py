"""Strict modes: subsets of JSON Schema for which a provider guarantees that calls match the schema."""
