// A path is one user's, in the whole installation.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT memory_file_paths IF NOT EXISTS
FOR (n:MemoryFile)
REQUIRE n.path IS UNIQUE
