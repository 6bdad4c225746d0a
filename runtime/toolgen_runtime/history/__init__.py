"""Check and repair histories in a provider's own format by the rules of its server."""
