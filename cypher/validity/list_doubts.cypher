// These doubts, which agents hold against a user's statements and records, the latest first: open while its action is so, and what
// has become of it; what the memory says, what the record says that is held against it, if one is, and whether both are in use and
// a run has not judged that what the record says supersedes the memory: then there is nothing to settle.
// mode: read
// params: user_id, ids
// returns: id, memory_id, action, at, agent, reason, kind, edited_text, by_memory_id, by_ref, made, audit_id, one_ref, one, one_speaker, one_at, is_in_use
UNWIND $ids AS wanted
MATCH (d:Decision {id: wanted, user_id: $user_id, kind: 'doubt'})
MATCH (m:Memory {id: d.memory_id, user_id: $user_id})
WHERE @is_living(m)
OPTIONAL MATCH (b:Memory {id: coalesce(d.by_memory_id, ''), user_id: $user_id})
RETURN d.id AS id, d.memory_id AS memory_id, d.action AS action, toString(d.at) AS at, d.agent AS agent,
  d.why AS reason, d.difference AS kind, d.edited_text AS edited_text, d.by_memory_id AS by_memory_id,
  d.by_ref AS by_ref, coalesce(d.made, []) AS made, d.audit_id AS audit_id, m.ref AS one_ref, coalesce(m.content, m.text) AS one,
  coalesce(m.speaker, m.agent) AS one_speaker, toString(coalesce(m.occurred_at, m.recorded_at)) AS one_at,
  @in_use(m)
    AND (d.by_memory_id IS NULL OR (b IS NOT NULL AND @is_living(b) AND @in_use(b) AND NOT EXISTS {
      MATCH (b)-[:RECORDED_IN {user_id: $user_id}]->(:Source)-[:STATES {user_id: $user_id}]->(later:KnowledgeChunk)
        -[r:SUPERSEDES {user_id: $user_id}]->(earlier:KnowledgeChunk)
      WHERE coalesce(r.outdated, '') <> 'perhaps'
        AND b.text CONTAINS later.content
        AND (earlier.id = m.id OR earlier.speaker = m.agent AND m.text CONTAINS earlier.content)
    })) AS is_in_use
ORDER BY at DESC, id
