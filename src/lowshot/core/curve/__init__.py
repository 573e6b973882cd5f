"""A Bayesian calibration curve along the ranking: the numerical part of the sampler `curve`.

bands      the ranking in bands of ranks that grow geometrically, each split by prediction into two groups
prior      how log-odds fall from band to band: levels, slopes, and a few kinds of pool
posterior  a hidden Markov model over bands: forward pass, curves drawn from the posterior
greedy     which groups to label next: the expected drop of the variance of F, one label at a time
answer     curves into estimate and interval
"""
