// The most valuable memories of a section.
// mode: schema
// params: -
// returns: -
CREATE INDEX value_sections IF NOT EXISTS
FOR (n:ValueClassification)
ON (n.user_id, n.section, n.value_score)
