"""The version of the distribution, for the runtime and the generator; `pyproject.toml` reads it here."""

__version__ = "1.0.0rc1"
