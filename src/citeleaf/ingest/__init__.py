"""Files to documents and passages."""
