"""Kernels, neighbour graphs, low-rank factors and scaling of features."""
