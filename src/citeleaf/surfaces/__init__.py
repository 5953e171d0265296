"""The faces of citeleaf: each parses input, calls `App`, and shows a value."""
