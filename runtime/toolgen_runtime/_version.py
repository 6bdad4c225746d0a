"""The version of the `toolgen-runtime` distribution."""

__version__ = "1.0.0rc1"
