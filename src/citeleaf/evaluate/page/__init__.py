"""The parts of `report.html`: markup, charts, sections, rows."""
