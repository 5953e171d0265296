"""Four layers, measured apart: retrieval, answers, citations, refusals; every row kept."""
