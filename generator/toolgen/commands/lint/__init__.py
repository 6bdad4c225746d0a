"""Find problems that tools can cause for models and providers although their definitions are valid."""
