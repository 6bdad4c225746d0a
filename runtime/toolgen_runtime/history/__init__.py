"""Histories in a provider's own form: the rules of its server, as checks and as repairs."""
