"""Read records of calls in the shapes in which they are exported."""
