"""VoteLE, in modules that follow its steps.

- `estimator`: the class
- `prior_means`: the mean of the prior of each item, from a learner and left-out rows
- `dirichlet_prior`: the posterior of degrees with a Dirichlet prior
- `logistic_normal_prior`: the posterior of degrees with a logistic-normal prior
- `uncertain_prior`: the uncertainty of how different the items are
- `left_out_votes`: how well votes are predicted from the others, and the weights of the priors
"""
