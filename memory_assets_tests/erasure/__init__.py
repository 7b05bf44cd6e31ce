"""Tests of erasure: what goes, what stays, and that no byte of it is left."""
