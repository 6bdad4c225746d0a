"""Find violations of the providers' rules in requests, and repair them."""
