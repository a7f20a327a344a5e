"""Who does the work: this process, other processes of this machine, or a Dask cluster."""
