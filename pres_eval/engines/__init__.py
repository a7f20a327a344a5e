"""Engines: this process, other processes of this machine, or a Dask cluster do the work."""
