"""The version of the distribution `toolgen-runtime`."""

__version__ = "1.0.0rc1"
