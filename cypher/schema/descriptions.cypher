// Whose description is due, and which notes have expired.
// mode: schema
// params: -
// returns: -

// The people, concepts, entities and relationships whose description is due, by owner and instant as one text: a range
// that both engines read from the index.
CREATE INDEX memory_stale IF NOT EXISTS
FOR (n:Memory)
ON (n.stale_key);

// What notes expire by a day, by owner and day as one text.
CREATE INDEX note_expiry IF NOT EXISTS
FOR (n:Note)
ON (n.expiry_key);

// What was described on a day, in the same way.
CREATE INDEX memory_described IF NOT EXISTS
FOR (n:Memory)
ON (n.described_key);
