// The extractions that failed.
// mode: schema
// params: -
// returns: -
CREATE INDEX extraction_status IF NOT EXISTS
FOR (n:Extraction)
ON (n.user_id, n.status)
