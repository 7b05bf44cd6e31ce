// The open contradictions of which these statements of a user are the first: what each says, who said it when, and how they
// differ.
// mode: read
// params: user_id, ids
// returns: id, kind, one_id, other_id, one_ref, one, one_speaker, one_at, other_ref, other, other_speaker, other_at, found_at, probability, why, judged_by
UNWIND $ids AS wanted
MATCH (one:KnowledgeChunk {id: wanted, user_id: $user_id})
MATCH (one)-[r:CONTRADICTS {user_id: $user_id}]->(other:KnowledgeChunk)
WHERE @in_use(one)
  AND @in_use(other)
RETURN r.id AS id,
  r.kind AS kind,
  one.id AS one_id,
  other.id AS other_id,
  one.ref AS one_ref,
  one.content AS one,
  one.speaker AS one_speaker,
  toString(one.occurred_at) AS one_at,
  other.ref AS other_ref,
  other.content AS other,
  other.speaker AS other_speaker,
  toString(other.occurred_at) AS other_at,
  toString(r.found_at) AS found_at,
  r.probability AS probability,
  r.why AS why,
  r.judged_by AS judged_by
ORDER BY found_at DESC, id
