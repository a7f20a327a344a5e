"""What is wrong or suspicious in qrels and runs: all of it, not only the first thing."""
