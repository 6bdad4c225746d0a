"""Read spec files in JSON and YAML as plain values."""
