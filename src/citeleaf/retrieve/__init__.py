"""Finding passages: tokens, first-stage lists, fusion, reranking, what is brought along."""
