"""What a file really is that cannot be read, or not as it was meant, and what to do then."""
