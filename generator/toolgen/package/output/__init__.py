"""The output folder: its content, the changes that a build would make, and the only code that writes to it."""
