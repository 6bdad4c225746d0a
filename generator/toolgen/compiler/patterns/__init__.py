"""Regular expressions of JSON Schema. Python or Rust runs them, and `translate.py` chooses the engine."""
