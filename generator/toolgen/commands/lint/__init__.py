"""Find problems that valid tool definitions can cause for models and providers."""
