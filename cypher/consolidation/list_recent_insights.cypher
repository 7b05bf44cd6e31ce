// The insights of a user's last consolidations, done since an instant, each with the statements that it rests on, as the
// sources from which it is taken state them.
// mode: read
// params: user_id, since, most
// returns: id, content, ref, text, speaker, said_at, said_by_owner
MATCH (k:Consolidation {user_id: $user_id, status: 'done'})
WHERE k.carried_out_at >= $since
WITH k
ORDER BY k.carried_out_at DESC, k.id
LIMIT $most
WITH k.id AS consolidation_id, k.note_ids AS note_ids
UNWIND note_ids AS note_id
MATCH (n:Note {id: note_id, user_id: $user_id})
MATCH (n)-[:RESTS_ON {user_id: $user_id, consolidation_id: consolidation_id}]->(c:KnowledgeChunk)
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source {user_id: $user_id})
WHERE EXISTS { MATCH (n)-[:TAKEN_FROM {user_id: $user_id}]->(s) }
RETURN n.id AS id, n.content AS content, c.ref AS ref,
  CASE WHEN coalesce(r.statement, '') = '' THEN r.content ELSE r.statement END AS text,
  r.speaker AS speaker, @said_at(r, s) AS said_at, coalesce(r.said_by_owner, false) AS said_by_owner
ORDER BY id, ref, said_at, text
