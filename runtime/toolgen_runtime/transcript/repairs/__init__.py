"""One module for each kind of mend; each works on a `Draft` and logs what it does."""
