"""Tests of descriptions."""
