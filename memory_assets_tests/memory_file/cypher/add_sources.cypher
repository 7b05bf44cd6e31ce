// Sources as the earlier stages leave them.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MERGE (s:Memory:Source {id: row.id, user_id: $user_id})
SET s.ref = row.ref,
    s.source_type = row.source_type,
    s.title = row.title,
    s.path = row.path,
    s.provenance = row.provenance,
    s.summary = row.summary,
    s.confidence = 0.9,
    s.started_at = CASE WHEN row.started_at IS NULL THEN null ELSE datetime(row.started_at) END,
    s.processing_status = 'extracted',
    s.processed_fingerprint = row.summary,
    s.access_count = 0,
    s.state = 'candidate',
    s.unscored = CASE WHEN $user_id STARTS WITH 'team-' THEN null ELSE $user_id END,
    s.created_at = datetime($now)
RETURN s.id AS id
