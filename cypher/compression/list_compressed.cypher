// Of which sources a user has some of these contexts, each with what its levels were made from and the place of its full one.
// Shorter ones that were read outlive it: there is none then.
// mode: read
// params: ids, user_id, level
// returns: source_id, id, fingerprint, arrangement, has_summary
UNWIND $ids AS context_id
@owned_context(context_id)
WITH c, c.compression_level = $level AS is_full
WHERE is_full OR c.content IS NOT NULL
RETURN c.source_id AS source_id, max(CASE WHEN is_full THEN c.id END) AS id,
  max(CASE WHEN is_full THEN c.fingerprint END) AS fingerprint,
  max(CASE WHEN is_full THEN c.arrangement END) AS arrangement,
  sum(CASE WHEN is_full AND c.has_summary THEN 1 ELSE 0 END) > 0 AS has_summary
