"""Keys: which agents may reach whose memory, and what they may do there.

Enters:  the name of an agent, scopes, a day of expiry. Leaves: a token, shown once, of which the graph has the digest
alone; and, for a token that a request brings, whose memory it opens.
"""
