// The manifest of an owner.
// mode: schema
// params: -
// returns: -
CREATE INDEX manifest_owners IF NOT EXISTS
FOR (n:BoundedMemoryManifest)
ON (n.user_id)
