"""Arrays of ids and numbers, whatever they mean: no files, no retrieval."""
