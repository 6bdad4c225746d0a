"""Regular expressions of JSON Schema, which Python or Rust runs: `translate.py` chooses the engine."""
