"""Retrievers for other frameworks, one file each; a framework is imported with its file and not before."""
