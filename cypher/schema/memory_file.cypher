// Drafts, manifests and the files of a user.
// mode: schema
// params: -
// returns: -

// Every FileVersion is found by its id, and no two share one.
CREATE CONSTRAINT file_version_id IF NOT EXISTS
FOR (n:FileVersion)
REQUIRE n.id IS UNIQUE;

// The texts of a user's files by day.
CREATE INDEX file_version_days IF NOT EXISTS
FOR (n:FileVersion)
ON (n.user_id, n.day);

// Every MemoryDraft is found by its id, and no two share one.
CREATE CONSTRAINT memory_draft_id IF NOT EXISTS
FOR (n:MemoryDraft)
REQUIRE n.id IS UNIQUE;

// The draft of an owner.
CREATE INDEX draft_owners IF NOT EXISTS
FOR (n:MemoryDraft)
ON (n.user_id);

// Every BoundedMemoryManifest is found by its id, and no two share one.
CREATE CONSTRAINT manifest_id IF NOT EXISTS
FOR (n:BoundedMemoryManifest)
REQUIRE n.id IS UNIQUE;

// The manifest of an owner.
CREATE INDEX manifest_owners IF NOT EXISTS
FOR (n:BoundedMemoryManifest)
ON (n.user_id);

// One node per file that a user has added.
CREATE CONSTRAINT memory_file_ids IF NOT EXISTS
FOR (n:MemoryFile)
REQUIRE n.id IS UNIQUE;

// A path is one user's, in the whole installation.
CREATE CONSTRAINT memory_file_paths IF NOT EXISTS
FOR (n:MemoryFile)
REQUIRE n.path IS UNIQUE;

// A user's files are found by the user.
CREATE INDEX memory_file_owners IF NOT EXISTS
FOR (n:MemoryFile)
ON (n.user_id);
