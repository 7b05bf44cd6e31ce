"""Values: how much each memory is worth keeping at hand, from five weighted signals (specification 000).

Reads memories, writes one ``ValueClassification`` beside each; never changes a memory itself.
"""
