"""The formats of a spec file: JSON and YAML, to plain values."""
