"""Repair a history that breaks a rule."""
