// What happened to a memory meanwhile: a recall, a person's word.
MATCH (m:Memory {id: $id, user_id: $user_id})
SET m.access_count = $access_count,
  m.ttl_policy = $ttl_policy,
  m.state = $state,
  m.unaged = $user_id
