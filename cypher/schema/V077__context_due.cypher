// Expired contexts are found by user and instant, as one text: a range that both engines read from the index.
// mode: schema
// params: -
// returns: -
CREATE INDEX context_due IF NOT EXISTS
FOR (n:CompressedContext)
ON (n.due_key)
