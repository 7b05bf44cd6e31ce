// Files that have moved in.
// mode: schema
// params: -
// returns: -

// One node per file of a user that has moved in.
CREATE CONSTRAINT file_migration_ids IF NOT EXISTS
FOR (n:FileMigration)
REQUIRE n.id IS UNIQUE;
