"""The rules that providers reject requests by, as data: numbers, wordings, fixes. It looks at no request."""
