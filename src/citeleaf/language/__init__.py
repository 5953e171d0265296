"""What a text says: its numbers by value and unit, its clauses, its negation, duties and directions."""
