// What of an owner's was erased, by keyed digests: what may not come in again.
// mode: read
// params: user_id
// returns: key, source_digests, name_digests, longest
MATCH (e:Erasure {user_id: $user_id})
RETURN e.key AS key, coalesce(e.source_digests, []) AS source_digests, coalesce(e.name_digests, []) AS name_digests,
  coalesce(e.longest, 0) AS longest
ORDER BY e.id
