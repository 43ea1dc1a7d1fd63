import sys
from pathlib import Path

from weft import _core

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "Weft"
copyright = "2026, the Weft authors"
author = "the Weft authors"
release = version = _core.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "weft_reference"]
exclude_patterns = ["_build", "validation"]  # reports that a page of the guide includes

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
numpydoc_show_class_members = False
numpydoc_attributes_as_param_list = True
numpydoc_xref_param_type = False

html_theme = "alabaster"
html_title = "Weft"
html_theme_options = {
    "description": "Compares routings of interconnection networks",
    "fixed_sidebar": True,
    "page_width": "1240px",
    "body_max_width": "none",
    "font_family": "system-ui, sans-serif",
    "head_font_family": "system-ui, sans-serif",
}
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["weft.css"]
