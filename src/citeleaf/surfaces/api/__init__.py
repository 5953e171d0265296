"""The server: the page's own routes under `/api`, OpenAI-compatible ones under `/v1`, and the page itself."""
