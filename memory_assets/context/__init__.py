"""What an agent is given before it starts, in four tiers within any budget: what is critical now, what is relevant,
the background, and what can be asked for. ``policy`` decides and writes the text, ``offers`` says how memories read in
it, ``reading`` reads what may be offered unasked.
"""
