"""Texts that are not JSON: what each was meant to be, in a sentence, and its value where it has one reading."""
