"""A Bayesian calibration curve along the ranking: the numerical part of the sampler `curve`.

In the order of the data flow:

bands        the ranking in bands of ranks that grow geometrically; a group is a band and a pattern of predictions
components   what a prior is made of: levels of log-odds, slopes, kinds of pool (components), the number of positives
beliefs      the numbers of the prior, learned from labelled pools
transitions  how levels and slopes change from one band to the next
posterior    a hidden Markov model over bands: forward pass, then curves drawn backwards
ranges       what the user knows about prevalence and recall, applied to the curves
like         the curves of an earlier evaluation as a belief
greedy       which groups to label next: the expected drop of the variance of F, one label at a time
summary      curves into a value and an interval
shifts       slices of a pool: the same curves, shifted as far as the labels of each slice say
cuts         where the ranking can be cut in two, and how the positives of bands spread over the parts in between
along        precision and recall at every cut
envelope     bands around them

docs/research.md tells how the model was found and what its constants were chosen by.
"""
