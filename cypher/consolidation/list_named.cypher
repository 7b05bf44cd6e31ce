// Of some sources those that name one of others whom they are ``about``: all whom and what each names but the owner, who is in all,
// and what its summary is compared by.
// mode: read
// params: user_id, ids, about
// returns: id, anchor_ids, embedding, embedder
UNWIND $ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})
MATCH (s)-[:MENTIONS {user_id: $user_id}]->(n:Memory)
WHERE coalesce(n.name, '') <> ''
  AND NOT coalesce(n.is_owner, false)
WITH s, collect(DISTINCT n.id) AS anchor_ids
WHERE any(anchor IN anchor_ids WHERE anchor IN $about)
RETURN s.id AS id, anchor_ids, s.embedding AS embedding, s.embedder AS embedder
ORDER BY id
