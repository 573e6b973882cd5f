"""Many categories at once: what is known about every item's category, from scores and labels.

In the order of the data flow:

scores     what the scores say about each item: its best classes, and the rest as one
table      the same, made ready for the beliefs
labelled   labels, and how their items were drawn
beliefs    the distribution of the class of every item, from a few parameters; what is expected of all items
fit        the parameters that labels lead to
influence  what one item more of some class would change, and which items are worth a label
estimates  values with intervals, of every class and of an average over all of them
"""
