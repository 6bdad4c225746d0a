"""`toolgen export`: tools in a provider's shape, or as signatures."""
