"""Issues from the errors of other validators. No library is imported."""
