"""Label enhancers of other papers, one module each, with the solver that only it uses."""
