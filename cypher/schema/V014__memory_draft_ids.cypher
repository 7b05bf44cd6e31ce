// Every MemoryDraft is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT memory_draft_id IF NOT EXISTS
FOR (n:MemoryDraft)
REQUIRE n.id IS UNIQUE
