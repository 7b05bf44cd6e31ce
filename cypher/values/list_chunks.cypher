// Of the given memories a user's living statements, with what the five signals need. One that was recalled outlives
// the last source that makes it (a rail keeps it), but is in no file: nothing would explain it. place: the
// source that said it last, and the turn, which a file orders and groups its lines by.
// embedding: only with with_vectors.
// mode: read
// params: user_id, memory_ids, with_vectors
// returns: memory_id, owner, text, statement, content_type, is_instruction, said_by_owner, is_abandoned, durability, outdated, inherits, change, confidence, source_count, access_count, created_at, last_accessed_at, occurred_at, label, place, embedding
UNWIND $memory_ids AS wanted
MATCH (c:KnowledgeChunk {id: wanted, user_id: $user_id})
WHERE @in_use(c)
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
WITH c, max(@said_at(r, s)) AS newest
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
WHERE newest IS NULL OR @said_at(r, s) = newest
WITH c, max(s.id + '/' + toString(coalesce(r.turn, 0))) AS place
RETURN c.id AS memory_id,
  c.user_id AS owner,
  c.content AS text,
  c.statement AS statement,
  c.content_type AS content_type,
  c.is_instruction AS is_instruction,
  c.said_by_owner AS said_by_owner,
  c.is_abandoned AS is_abandoned,
  c.durability AS durability,
  c.outdated AS outdated,
  c.inherits AS inherits,
  c.change AS change,
  c.confidence AS confidence,
  c.source_count AS source_count,
  c.access_count AS access_count,
  c.created_at AS created_at,
  c.last_accessed_at AS last_accessed_at,
  c.occurred_at AS occurred_at,
  c.speaker AS label,
  place,
  CASE WHEN $with_vectors THEN c.embedding END AS embedding
