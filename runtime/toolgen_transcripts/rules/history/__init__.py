"""The rules about messages, with one module for each family of rules."""
