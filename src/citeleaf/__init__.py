"""citeleaf: ask your own documents, and see the words every sentence rests on."""

__version__ = "0.1.0"
__all__ = ["__version__"]
