"""Messages: native values, and the base class of every provider's codec."""
