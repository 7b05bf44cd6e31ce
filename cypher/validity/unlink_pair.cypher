// Take back what is said of two statements.
// mode: write
// params: user_id, one_id, other_id
// returns: removed
MATCH (one:KnowledgeChunk {id: $one_id, user_id: $user_id})
MATCH (one)-[r]-(o:KnowledgeChunk)
WHERE type(r) IN ['SUPERSEDES', 'CONTRADICTS']
  AND o.id = $other_id
WITH collect(DISTINCT r) AS links
FOREACH (r IN links | DELETE r)
RETURN size(links) AS removed
