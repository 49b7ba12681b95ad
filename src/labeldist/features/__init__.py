"""From rows of features to what the solvers work on: standardised features, kernels, neighbour graphs."""
