"""Read records of calls in all formats that programs export."""
