"""The output folder: what it contains, what a build would change, and the only code that writes to it."""
