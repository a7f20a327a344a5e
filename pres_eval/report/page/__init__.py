"""The report as one HTML page: its static sections, the numbers for its script, style and script."""
