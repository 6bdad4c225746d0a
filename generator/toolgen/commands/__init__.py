"""The commands of `toolgen`. Each has a folder with its logic and its `cli.py`.

Modules that several commands share are beside them.
"""
