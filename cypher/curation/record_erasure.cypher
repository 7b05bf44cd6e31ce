// That something was erased: when, by whom, how many of what, and the keyed digests of what may not come in again. No
// word of it. It is written before anything goes, so that nothing comes in meanwhile.
// mode: write
// params: id, user_id, kind, by, counts, key, source_digests, name_digests, longest, now
// returns: id
MERGE (e:Erasure {id: $id})
SET e.user_id = $user_id,
  e.kind = $kind,
  e.by = $by,
  e.counts = $counts,
  e.key = $key,
  e.source_digests = $source_digests,
  e.name_digests = $name_digests,
  e.longest = $longest,
  e.at = datetime($now)
RETURN e.id AS id
