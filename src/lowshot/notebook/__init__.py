"""Labelling inside Jupyter: `Evaluation.widget()`. Extra `[notebook]`.

showing   what people see of an item: text, fields and pictures, from whatever `show` gives
session   one item at a time: ask, answer, undo. It is plain Python, and needs no Jupyter
widget    the session as a widget of Jupyter; loaded when it is used, because anywidget is an extra
static/   its JavaScript and CSS, which load nothing else
"""
