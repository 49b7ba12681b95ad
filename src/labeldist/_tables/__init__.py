"""Read and write tables of every format, and choose which columns are labels and features."""
