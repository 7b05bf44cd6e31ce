// One node per file that a user has added.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT memory_file_ids IF NOT EXISTS
FOR (n:MemoryFile)
REQUIRE n.id IS UNIQUE
