"""The site: `make docs` builds it into docs/_build/html, with warnings as errors."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent / "src")]

import lowshot  # noqa: E402  # of this checkout, whatever is installed

project = "lowshot"
author = "the lowshot authors"
copyright = f"2026, {author}"
version = release = lowshot.__version__

extensions = [
    "myst_nb",  # Markdown, and notebooks that are executed
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",  # cards and tabs
    "command_reference",  # docs/_extensions: reference/commands.md from the command line itself
    "plain_docstrings",  # docs/_extensions: our docstrings as reStructuredText
]
exclude_patterns = ["_build", "_extensions"]
suppress_warnings = [
    "myst.strikethrough",  # of other builders than HTML
]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "cache"  # a notebook is run again when its code changed; a fresh clone runs all
nb_execution_timeout = 120  # seconds per cell
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_output_stderr = "warn"  # a warning in a notebook is an error of the build
nb_ipywidgets_js = {}  # nothing is loaded from other servers
copybutton_exclude = ".linenos, .gp, .go"  # prompts and output are not copied

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
add_module_names = False
toc_object_entries_show_parents = "hide"  # the list on the right has no room for "Evaluation."
smartquotes = False  # a reader copies what stands in quotes

html_theme = "pydata_sphinx_theme"
html_title = "lowshot"
html_favicon = "../src/lowshot/web/static/icon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_search_scorer = str(HERE / "_extensions" / "search_scorer.js")  # recipes before tables of the appendix
html_sidebars = {page: [] for page in ("index", "quickstart", "how-it-works")}  # they have no siblings
html_theme_options = {
    "logo": {"text": "lowshot", "image_light": "_static/icon.svg", "image_dark": "_static/icon.svg"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "navigation_with_keys": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},  # the last match counts
}
html_context = {"default_mode": "auto"}

linkcheck_timeout = 20
linkcheck_ignore = [r"http://127\.0\.0\.1.*"]
