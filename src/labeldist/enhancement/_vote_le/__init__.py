"""VoteLE, in modules that follow its steps.

- `estimator`: the class
- `prior_means`: the mean of the prior of each item, from a learner and left-out rows
- `priors`: the priors that are fitted to votes, also without the items that are scored
- `dirichlet_prior`: the posterior of degrees with a Dirichlet prior
- `logistic_normal_prior`: the posterior of degrees with a logistic-normal prior
- `left_out_votes`: mixtures of posteriors, and how well they predict left-out votes
"""
