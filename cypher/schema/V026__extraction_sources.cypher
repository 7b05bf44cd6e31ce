// Whether a source was extracted for a member.
// mode: schema
// params: -
// returns: -
CREATE INDEX extraction_sources IF NOT EXISTS
FOR (n:Extraction)
ON (n.user_id, n.source_id)
