"""Run time of generated packages: checks, issues, hints; standard library and pydantic only."""
