"""Guards: rules over a question, over a draft and over a document's text."""
