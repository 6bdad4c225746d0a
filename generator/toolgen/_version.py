"""The version of the distribution; it needs `toolgen-runtime` of the same version."""

__version__ = "1.0.0rc1"
