"""Learning which passages answer a question, and how good that is; from corpora that nobody here wrote."""
