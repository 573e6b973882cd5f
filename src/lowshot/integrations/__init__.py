"""Results of lowshot as objects of other libraries. A module is named like its library.

sklearn  a chosen threshold as a classifier of scikit-learn
"""
