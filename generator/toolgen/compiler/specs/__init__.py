"""Read tool specs from files, folders and values in memory, and record where each part came from."""
