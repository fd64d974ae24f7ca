"""Work shared out among machines: Arrow batches that every engine maps, Dask, Spark, polars, and jobs of files."""
