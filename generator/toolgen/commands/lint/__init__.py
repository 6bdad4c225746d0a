"""Find problems that valid tools can cause for models and providers."""
