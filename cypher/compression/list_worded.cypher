// The sources of whose words a user's contexts hold some: their summaries and keywords.
// mode: read
// params: user_id
// returns: source_id
MATCH (c:CompressedContext {user_id: $user_id})
WHERE c.content IS NOT NULL
RETURN DISTINCT c.source_id AS source_id
