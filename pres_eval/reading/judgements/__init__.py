"""Judgements of every kind, as files hold them, and the pool that runs are joined with."""
