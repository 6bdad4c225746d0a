"""Arguments that are not JSON: describe the mistake, and find the value if the text can mean only one."""
