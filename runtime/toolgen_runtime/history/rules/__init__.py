"""Find what breaks a rule of a provider's server, and repair it: a module for each subject."""
