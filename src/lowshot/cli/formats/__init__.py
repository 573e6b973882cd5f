"""Formats in which items go out and labels come in: each writes items, and reads what was filled in.

item          an item as it is shown, and a row that was filled in
table         CSV
lines         JSON lines
label_studio  Label Studio's tasks, labelling config and export
prodigy       Prodigy's JSON lines
choice        by name, or guessed from a file
"""
