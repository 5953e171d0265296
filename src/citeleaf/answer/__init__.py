"""From evidence to an answer: guard, gate, compose, cite, verify, decide, close."""
