"""The version of the distribution, which needs the same version of `toolgen-runtime`."""

__version__ = "1.0.0rc1"
