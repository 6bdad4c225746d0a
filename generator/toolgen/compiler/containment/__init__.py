"""Prove that every value that one schema accepts is accepted by another."""
