"""Many categories at once: what is known about every item's category, from scores and labels.

scores   what the scores say about each item: its best classes, and the rest as one
"""
