"""Whether every value that one schema accepts is provably accepted by another."""
