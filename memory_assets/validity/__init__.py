"""What of all that was said still holds: what a later statement supersedes, closes or contradicts, and since when."""
