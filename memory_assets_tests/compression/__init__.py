"""Tests of the compression room."""
