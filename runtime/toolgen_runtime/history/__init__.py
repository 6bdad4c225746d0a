"""Check, repair and shorten histories in a provider's format by the rules of its server."""
