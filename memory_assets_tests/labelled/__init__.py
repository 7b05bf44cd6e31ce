"""Material labelled by hand, and what an answer is worth on it (README.md beside this file)."""
