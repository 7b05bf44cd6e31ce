"""Benchmarks: speed as a ratio to a bound taken in the same run, what the files hold.

``make bench`` runs them all. Corpora that others wrote are read from ``MEMORY_ASSETS_CORPORA`` (or
``../shared/data``) where they are; a benchmark whose corpus is missing says so.
"""
