"""Configuration of Sphinx; ``make docs`` builds the site."""

import sys
from pathlib import Path

import labeldist

HERE = Path(__file__).parent
sys.path.append(str(HERE / "_extensions"))

project = "labeldist"
author = "The labeldist developers"
copyright = author  # noqa: A001  # Sphinx's name
version = release = labeldist.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    # ours
    "mathml",
    "reference",
]
exclude_patterns = ["_*", "gallery/*.py", "gallery/*.ipynb"]
templates_path = ["_templates"]
# Quotes and ellipses, but no dashes, which would replace the hyphens of --label.
smartquotes_action = "qe"
default_role = "py:obj"  # names in docstrings become links

# Pages are Markdown that a code host renders as well.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

# The reference contains what a module exports in __all__.
autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"  # the numpydoc sections contain the types
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False  # the class template lists them

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_\w+\.py$",
    "ignore_pattern": r"(demo|__init__)\.py$",
    "within_subsection_order": "ExampleTitleSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "capture_repr": (),  # the picture suffices
}

html_theme = "furo"
html_title = f"labeldist {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
