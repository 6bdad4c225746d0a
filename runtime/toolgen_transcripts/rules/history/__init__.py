"""Rules about the messages of a request."""
