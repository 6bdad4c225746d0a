"""Regular expressions of JSON Schema, run by Python or Rust; `translate.py` chooses the engine."""
