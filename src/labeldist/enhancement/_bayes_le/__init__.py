"""BayesLE: degrees from a model of how degrees become tags.

Read the modules in this order:

1. `tag_rule`: the rule that turns degrees into tags.
2. `logistic_normal`: the distribution of degrees, softmax(z) with z ~ N(mean, covariance).
3. `sampler`: draws of z given the tags, by Gibbs sampling.
4. `tag_counts`: the spread of z and the noise of the tags, from the number of tags per row.
5. `score_model`: the mean and the covariance, by stochastic EM over the draws.
6. `posterior`: the posterior mean, deviation and quantiles of the degrees.
7. `score_regressors`: prediction of the mean from features.
8. `estimator`: `BayesLE` itself.
"""
