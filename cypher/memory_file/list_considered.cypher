// Every memory that a user's file is chosen from, with the section it competes in; none is small talk. In no order: to
// bring all of them into one, the engine would hold them all.
// mode: read
// params: user_id, user_ids
// returns: memory_id, ref, section
MATCH (m:Memory)-[:HAS_VALUE]->(vc:ValueClassification {user_id: $user_id})
WHERE @may_read(m)
  AND @in_use(m)
RETURN m.id AS memory_id,
  m.ref AS ref,
  vc.section AS section
