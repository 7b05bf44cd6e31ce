// Some sources of a user as they were found (secrets are masked on the way in), and which versions of which records curation
// has pruned of them; those in use alone.
// mode: read
// params: user_id, ids
// returns: id, raw_content, pruned_records
UNWIND $ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})-[:HAS_RAW_CONTENT]->(raw:SourceText)
WHERE @source_in_use(s)
RETURN s.id AS id, raw.text AS raw_content, coalesce(s.pruned_records, []) AS pruned_records
