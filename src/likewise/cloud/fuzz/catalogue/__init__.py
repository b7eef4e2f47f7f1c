"""Findings for readers: pages, reproducers, the ledger."""
