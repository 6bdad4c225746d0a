"""Arguments that are not JSON: describe the mistake, and return the value if the text can mean only one."""
