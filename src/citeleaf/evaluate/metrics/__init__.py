"""One file a family of figures; each docstring holds formula, source and a worked example."""
