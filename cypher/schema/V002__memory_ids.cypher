// No two memories share an id, whatever their type.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT memory_id IF NOT EXISTS
FOR (n:Memory)
REQUIRE n.id IS UNIQUE
