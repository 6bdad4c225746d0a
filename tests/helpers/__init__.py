"""What several tests share, each module named by what it gives."""
