"""Run JSON Schema's regular expressions in Python or Rust. `translate.py` chooses the engine."""
