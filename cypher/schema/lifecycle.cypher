// When memories fade.
// mode: schema
// params: -
// returns: -

// What has faded by a day, by one text that sorts it by owner and day: a range that both engines read from the index.
CREATE INDEX memory_fading IF NOT EXISTS
FOR (n:Memory)
ON (n.fade_key);
