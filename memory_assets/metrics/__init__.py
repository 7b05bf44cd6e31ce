"""Metrics: how full the bounded files are, and what they are made of (specification 000, Monitoring and Metrics).

Reads manifests, totals and tasks, writes one ``MetricsSnapshot`` for a day on which they are others than before.
"""
