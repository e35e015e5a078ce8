# SPDX-License-Identifier: MIT
"""How Sphinx makes the pages that tools/site lays out."""

import re

project = "fathom"
author = copyright = "The fathom authors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "fathom"
html_copy_source = False
html_show_sphinx = False
templates_path = []
pygments_style = "friendly"
highlight_language = "none"  # what is indented is seldom a program in one language
myst_heading_anchors = 4     # pages link to headings down to this level
suppress_warnings = []

autodoc_member_order = "groupwise"
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True, "imported-members": True, "undoc-members": True, "inherited-members": "dict,tuple"}


def plain_text(app, what, name, thing, options, lines):
    """Docstrings are plain text: nothing in them is markup. Indented lines stay unchanged."""
    made = []
    literal = False
    for line in lines:
        indented = line.startswith(" ")
        if indented and not literal:
            made += ["", "::", ""]
        elif literal and not indented and line.strip():
            made.append("")
        if indented or line.strip():
            literal = indented
        made.append(line if literal else re.sub(r"([\\*`|_<>:])", r"\\\1", line))
    lines[:] = made


def setup(app):
    app.connect("autodoc-process-docstring", plain_text)
