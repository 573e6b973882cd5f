"""Formats of files that `lowshot ask` writes and `lowshot tell` reads.

item          an item as annotators see it, and a row with a label
table         CSV
lines         JSON lines
label_studio  Label Studio's tasks, labelling config and export
prodigy       Prodigy's JSON lines
choice        a format by name, or detected from a file
"""
