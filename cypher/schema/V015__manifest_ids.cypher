// Every BoundedMemoryManifest is found by its id, and no two share one.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT manifest_id IF NOT EXISTS
FOR (n:BoundedMemoryManifest)
REQUIRE n.id IS UNIQUE
