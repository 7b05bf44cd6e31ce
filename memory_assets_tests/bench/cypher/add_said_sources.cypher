// Processed sources of a user of which only the index has the words.
// mode: write
// params: rows, user_id
// returns: made
UNWIND $rows AS row
CREATE (s:Memory:Source {
  id: row.id, user_id: $user_id, ref: row.ref, source_type: 'conversation', title: row.title, path: row.title,
  started_at: datetime(row.started_at), processing_status: 'extracted', state: 'active', ttl_policy: 'decay',
  processed_fingerprint: row.id, project: row.project
})
RETURN count(s) AS made
