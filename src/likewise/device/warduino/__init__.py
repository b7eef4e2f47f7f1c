"""WARDuino's debug protocol: what is said, what comes back."""
