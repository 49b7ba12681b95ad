"""Kernels, neighbour graphs and low-rank factors of kernel matrices."""
