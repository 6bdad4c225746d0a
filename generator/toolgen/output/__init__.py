"""The output folder: what is in it, what a build would change, and the only code that writes it."""
