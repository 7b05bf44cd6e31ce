// What rested on sources of a user's that are removed: the references of entries that no old file shows.
// mode: read
// params: user_id
// returns: refs
MATCH (s:Source {user_id: $user_id})
WHERE NOT (@source_in_use(s))
  AND s.rested_refs IS NOT NULL
RETURN s.rested_refs AS refs
