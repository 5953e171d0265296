"""What a claim says beside what a passage says: alignment, named checks in plain rules, and how they are weighed."""
