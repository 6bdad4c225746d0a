"""One folder for each command: its core and its `cli.py`. What several commands share lies beside them."""
