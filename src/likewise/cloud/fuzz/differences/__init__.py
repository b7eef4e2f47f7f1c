"""What differs between two answers, which difference explains which, and why."""
