// That a user's extraction of a source was made, from what and with which outcome.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (x:Extraction {id: row.id, user_id: $user_id})
ON CREATE SET x.source_id = row.source_id
SET x.fingerprint = row.fingerprint,
  x.status = row.status,
  x.error = row.error,
  x.attempts = row.attempts,
  x.next_attempt_at = CASE WHEN row.next_attempt_at IS NULL THEN null ELSE datetime(row.next_attempt_at) END,
  x.model = row.model,
  x.unnoted = $user_id,
  x.uncompressed = $user_id,
  x.source_started_at = CASE
    WHEN row.source_started_at IS NULL THEN null
    ELSE datetime(row.source_started_at)
  END,
  x.started_at = datetime(row.started_at),
  x.completed_at = datetime($now)
RETURN x.id AS id
