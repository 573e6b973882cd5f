"""A picture with its words as one HTML document, which needs no other file and no network."""

from html import escape

DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; {scripts}style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0; background: #fff; color: #1b2330; font: 1rem/1.5 system-ui, sans-serif; }}
main {{ max-width: 46rem; margin: 0 auto; padding: 1rem; }}
h1 {{ font-size: 1.4rem; line-height: 1.25; overflow-wrap: anywhere; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #1b212a; color: #e8ecf1; }} }}
{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}
</main>{script}
</body>
</html>
"""


def document(title: str, body: str, style: str, script: str = "") -> str:
    """The whole document. `body` is HTML already; scripts are allowed only if there is one.

    >>> page = document("birds & bees", "<p>3</p>", "")
    >>> "<h1>birds &amp; bees</h1>" in page, "script" in page
    (True, False)
    """
    allowed, tag = ("script-src 'unsafe-inline'; ", f"\n<script>{script}</script>") if script else ("", "")
    return DOCUMENT.format(title=escape(title), body=body, style=style, scripts=allowed, script=tag)
