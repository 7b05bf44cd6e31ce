// The best memories of a section, by one text that sorts them.
// mode: schema
// params: -
// returns: -
CREATE INDEX value_ranks IF NOT EXISTS
FOR (n:ValueClassification)
ON (n.rank_key)
