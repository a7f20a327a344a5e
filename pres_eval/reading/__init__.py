"""From bytes to arrays: the only part of the library that opens files."""
