// When memories fade, and when sources have rested.
// mode: schema
// params: -
// returns: -

// What has faded by a day, by one text that sorts it by owner and day: a range that both engines read from the index.
CREATE INDEX memory_fading IF NOT EXISTS
FOR (n:Memory)
ON (n.fade_key);

// What has rested by a day, in the same way.
CREATE INDEX memory_resting IF NOT EXISTS
FOR (n:Memory)
ON (n.rest_key);

// What has rested and become nothing, by when it happened.
CREATE INDEX memory_rested IF NOT EXISTS
FOR (n:Memory)
ON (n.rested_key);
