"""What Python programs call: judgements and runs of every kind in, numbers and tables out."""
