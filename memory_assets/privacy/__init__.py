"""Privacy at the door: what is a secret, what is personal, and who may read a source.

``detector`` borrows detect-secrets' patterns and adds what chats and mails need; ``spoken`` knows passwords that
are said in prose; ``masking`` puts ``[masked: kind]`` in their place, in text and in JSON; ``personal`` counts
personal data, which is marked and not masked; ``access`` decides by a source's sensitivity, ``projects``
by its project. Pure: beneath the
rooms, knows none of them.
"""
