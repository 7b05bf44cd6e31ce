// What people and models have decided about an owner's names.
// mode: read
// params: user_id
// returns: id, one_id, other_id, same, decided_by, keep_id, evidence, at
MATCH (d:Decision {user_id: $user_id, kind: 'name'})
RETURN d.id AS id, d.memory_id AS one_id, d.other_id AS other_id, d.same AS same, d.decided_by AS decided_by,
  d.keep_id AS keep_id, d.evidence AS evidence, toString(d.at) AS at
ORDER BY id
