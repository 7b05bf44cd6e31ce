// The draft of an owner.
// mode: schema
// params: -
// returns: -
CREATE INDEX draft_owners IF NOT EXISTS
FOR (n:MemoryDraft)
ON (n.user_id)
