"""What kind of sentence it is, for real sentences of outside corpora, labelled twice (guide.md beside this file)."""
