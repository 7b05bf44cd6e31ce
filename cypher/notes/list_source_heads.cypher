// What is known of the sources of one batch, without their text.
// mode: read
// params: ids, user_ids
// returns: id, owner, source_type, title, started_at, owner_speaker
UNWIND $ids AS source_id
MATCH (s:Source {id: source_id})
WHERE s.user_id IN $user_ids
RETURN s.id AS id, s.user_id AS owner, s.source_type AS source_type, s.title AS title,
  s.started_at AS started_at, s.owner_speaker AS owner_speaker
ORDER BY id
