"""Arguments that are not JSON: name the mistake, and return the value if the text has only one reading."""
