// A migration has one record.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT migration_id IF NOT EXISTS
FOR (n:Migration)
REQUIRE n.id IS UNIQUE
