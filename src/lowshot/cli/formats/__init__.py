"""Formats of files that `lowshot ask` writes and `lowshot tell` reads.

table         CSV
lines         JSON lines
prodigy       Prodigy's JSON lines
choice        a format by name, or detected from a file

Label Studio's files are in `lowshot.integrations.label_studio.tasks`, because the same tasks are also sent over HTTP.
"""
