"""Pictures by their first bytes, whatever the name of the file says."""

MOST = 20 * 2**20  # bytes: larger files are not shown, because they are read into memory


def media_type(content: bytes) -> str | None:
    """The media type by the first bytes, whatever the file's name; None if it is not a PNG, JPEG, GIF or WebP.

    >>> media_type(b"GIF89a..."), media_type(b"<svg onload=...>")
    ('image/gif', None)
    """
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else None
