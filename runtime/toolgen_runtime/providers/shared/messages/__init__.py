"""Messages: native values, and the skeleton of every provider's codec."""
