"""Implementations of the plug points; each loads its heavy parts only when made."""
