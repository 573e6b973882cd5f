"""The numerical core: pure functions over arrays. No files, clock, printing or global random state.

In the order of the data flow:

| module | what |
| --- | --- |
| `types` | names for arrays |
| `magnitude` | divides numbers by a power of two, so that their squares do not overflow |
| `cells` | a ranking as cells: items that share one score level and are predicted alike; the contract, and arrays |
| `ranking` | scores and predictions into cells; only the head of the ranking is sorted |
| `grouped_cells` | cells of which only the counts are known, for large pools |
| `calibration` | c(s): the probability that an item is positive (prior from predictions, isotonic, Platt) |
| `optimal` | the importance distribution (Eq. 3 and 4) |
| `drawing` | draw t of round i from (seed, i, t) alone; pseudo-random order of ids |
| `ratio` | value and variance of one round (Eq. 2 and 6) |
| `combine` | several rounds into one estimate (Eq. 5) |
| `counts` | tp, fp, fn of labelled items; the variance of a fully labelled pool |
| `interval` | variance into an interval |
| `mixture`, `kernel_herding` | the numerical parts of the samplers GMM and HERDING |
| `certificate` | certificates of recall and precision for every pool, from uniform draws |
| `curve` | a package: the Bayesian calibration curve of the sampler CURVE |

Equation numbers are those of the paper: docs/method.md.
"""
