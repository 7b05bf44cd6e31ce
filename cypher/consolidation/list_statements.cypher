// What some of a user's sources state, with what each statement's place in the default search follows from.
// mode: read
// params: user_id, ids
// returns: source_id, id, ref, turn, position, text, statement, speaker, said_at, said_by_owner, content_type, durability, is_instruction, source_count, is_weighed, about, state, archived_from, ttl_policy, confidence, salience, salience_at, created_at, ingested_at, access_count, recall_frequency, last_accessed_at, decay_gradient
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id, user_id: $user_id})
MATCH (s)-[r:STATES {user_id: $user_id}]->(c:KnowledgeChunk)
OPTIONAL MATCH (c)-[:ABOUT {user_id: $user_id}]->(n:Memory)
WITH s, r, c, collect(n.id) AS about
RETURN s.id AS source_id, c.id AS id, c.ref AS ref, coalesce(r.turn, 0) AS turn, coalesce(r.position, 0) AS position,
  r.content AS text, r.statement AS statement, r.speaker AS speaker, @said_at(r, s) AS said_at,
  coalesce(r.said_by_owner, false) AS said_by_owner, c.content_type AS content_type, coalesce(c.durability, 0.0) AS durability,
  coalesce(c.is_instruction, false) AS is_instruction, coalesce(c.source_count, 1) AS source_count,
  c.outdated IS NOT NULL OR c.inherits IS NOT NULL OR coalesce(c.is_disputed, false) AS is_weighed, about,
  c.state AS state, c.archived_from AS archived_from, c.ttl_policy AS ttl_policy, c.confidence AS confidence,
  c.salience AS salience, c.salience_at AS salience_at, c.created_at AS created_at, c.ingested_at AS ingested_at,
  c.access_count AS access_count, c.recall_frequency AS recall_frequency, c.last_accessed_at AS last_accessed_at,
  c.decay_gradient AS decay_gradient
ORDER BY source_id, turn, position, id
