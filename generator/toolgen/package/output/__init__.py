"""The output folder: what it contains, and what a build would change in it. Only this package writes to it."""
