"""`toolgen export`: write tools in a provider's format or as function signatures."""
