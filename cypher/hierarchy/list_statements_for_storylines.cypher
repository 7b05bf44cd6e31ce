// Of what sources state these statements, as far as they are understood alone, each with the anchors that it is about: storylines of
// these are named by it. Found from the statement, since a source may state hundreds of others.
// Not what only passes the time, nor what later statements supersede, all of it or a clause.
// mode: read
// params: user_id, rows
// returns: source_id, chunk_id, speaker, text, durability, turn, position, is_owners, said_at, about
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.chunk_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
WHERE s.id = row.source_id
  AND r.content_type <> 'chitchat'
  AND coalesce(r.statement, r.content) <> ''
  AND NOT coalesce(c.outdated, '') IN ['wholly', 'in part']
OPTIONAL MATCH (c)-[:ABOUT {user_id: $user_id}]->(n:Memory)
WITH s, c.id AS chunk_id, r, collect(n.id) AS about
RETURN s.id AS source_id, chunk_id, r.speaker AS speaker, coalesce(r.statement, r.content) AS text,
  r.durability AS durability, r.turn AS turn, coalesce(r.position, 0) AS position,
  coalesce(r.said_by_owner, false) AS is_owners, @said_at(r, s) AS said_at, about
ORDER BY source_id, turn, position, chunk_id
