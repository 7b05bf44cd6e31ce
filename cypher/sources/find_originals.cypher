// What is stored of growing sources before it was masked; where nothing was masked, what is stored.
// mode: read
// params: ids, user_id
// returns: id, original_content
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
RETURN s.id AS id, coalesce(s.original_content, s.raw_content) AS original_content
