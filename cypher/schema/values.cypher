// The value of each memory, and the keys that sort them.
// mode: schema
// params: -
// returns: -

// Every ValueClassification is found by its id, and no two share one.
CREATE CONSTRAINT value_classification_id IF NOT EXISTS
FOR (n:ValueClassification)
REQUIRE n.id IS UNIQUE;

// The most valuable memories of a section.
CREATE INDEX value_sections IF NOT EXISTS
FOR (n:ValueClassification)
ON (n.user_id, n.section, n.value_score);

// The value of a memory.
CREATE INDEX value_memories IF NOT EXISTS
FOR (n:ValueClassification)
ON (n.user_id, n.memory_id);

// The best memories of a section, by one text that sorts them.
CREATE INDEX value_ranks IF NOT EXISTS
FOR (n:ValueClassification)
ON (n.rank_key);

// What an owner said must always hold, the newest first.
CREATE INDEX value_standing IF NOT EXISTS
FOR (n:ValueClassification)
ON (n.standing_key);

// What time alone gives another value, by one text that sorts it by owner and day.
CREATE INDEX value_rescoring IF NOT EXISTS
FOR (n:ValueClassification)
ON (n.rescore_key);
