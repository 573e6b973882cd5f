"""The numerical core: pure functions over arrays. No files, clock, printing or global random state.

In the order of the data flow:

| module | what |
| --- | --- |
| `magnitude` | numbers of any magnitude into one whose squares do not overflow |
| `cells` | a ranking held as cells: items that share one score level and one prediction |
| `ranking` | scores -> cells, by partition, so that only the head is sorted |
| `calibration` | c(s): the probability that an item is positive (isotonic, Platt, prior) |
| `optimal` | the importance distribution (Eq. 3 and 4) |
| `draws` | draw t of round i from (seed, i, t) alone |
| `ratio` | value and variance of one round (Eq. 2 and 6) |
| `combine` | rounds into one estimate (Eq. 5) |
| `interval` | variance into an interval |
| `finite` | the variance of a fully labelled pool |
| `mixture`, `herding` | the numerical parts of GMM and HERDING |
"""
