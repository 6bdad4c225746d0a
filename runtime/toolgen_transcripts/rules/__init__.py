"""Find violations of the providers' rules and repair them, with one module for each subject."""
