"""The keywords, each a small unit: what it checks, which issue it gives, how its check is written."""
