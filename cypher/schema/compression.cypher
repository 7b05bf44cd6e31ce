// The contexts of a source.
// mode: schema
// params: -
// returns: -

// Every CompressedContext is found by its id, and no two share one.
CREATE CONSTRAINT context_id IF NOT EXISTS
FOR (n:CompressedContext)
REQUIRE n.id IS UNIQUE;

// A user's contexts are found by the user.
CREATE INDEX context_owners IF NOT EXISTS
FOR (n:CompressedContext)
ON (n.user_id);

// The sources of which a user's contexts may be due.
CREATE INDEX extraction_uncompressed IF NOT EXISTS
FOR (n:Extraction)
ON (n.uncompressed);

// Expired contexts are found by user and instant, as one text: a range that both engines read from the index.
CREATE INDEX context_due IF NOT EXISTS
FOR (n:CompressedContext)
ON (n.due_key);
