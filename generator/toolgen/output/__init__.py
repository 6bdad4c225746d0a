"""The output folder: what stands there, what a build would change, and the only way to write it."""
