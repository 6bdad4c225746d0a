"""The rules about messages: one family of rules a module."""
