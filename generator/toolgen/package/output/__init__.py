"""The output folder: what it contains, and what a build would change in it. No other code writes to it."""
