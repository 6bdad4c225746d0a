"""The commands. Each has a folder with its core and its `cli.py`.

Modules that several commands share are beside them.
"""
