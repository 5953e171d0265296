"""The answering path without models as plain data: what a page that has no Python needs to find and quote the same."""
