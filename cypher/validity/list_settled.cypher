// What people have decided about a user's contradictions and holds, the latest first, with what was known of each before, and what
// the two statements say, as far as they are there.
// mode: read
// params: user_id
// returns: decision, audit_id, resolution, before, at, one_id, other_id, one_ref, one, one_speaker, one_at, other_ref, other, other_speaker, other_at
MATCH (d:Decision {user_id: $user_id, kind: 'contradiction'})
WHERE d.is_in_force
OPTIONAL MATCH (one:KnowledgeChunk {id: coalesce(d.memory_id, ''), user_id: $user_id})
OPTIONAL MATCH (other:KnowledgeChunk {id: coalesce(d.other_id, ''), user_id: $user_id})
RETURN d.id AS decision, d.audit_id AS audit_id, d.action AS resolution, d.before AS before, toString(d.at) AS at,
  d.memory_id AS one_id, d.other_id AS other_id,
  one.ref AS one_ref, one.content AS one, one.speaker AS one_speaker, toString(one.occurred_at) AS one_at,
  other.ref AS other_ref, other.content AS other, other.speaker AS other_speaker, toString(other.occurred_at) AS other_at
ORDER BY at DESC, decision
