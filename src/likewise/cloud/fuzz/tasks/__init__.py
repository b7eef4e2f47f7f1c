"""What a campaign tries, and in which order."""
