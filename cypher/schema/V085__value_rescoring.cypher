// What time alone gives another value, by one text that sorts it by owner and day.
// mode: schema
// params: -
// returns: -
CREATE INDEX value_rescoring IF NOT EXISTS
FOR (n:ValueClassification)
ON (n.rescore_key)
