"""Functions that find violations of the providers' rules and repair them, in a module for each subject."""
