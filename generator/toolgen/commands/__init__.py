"""The commands: one folder for each, with its core and its `cli.py`.

Modules that several commands share are beside them.
"""
