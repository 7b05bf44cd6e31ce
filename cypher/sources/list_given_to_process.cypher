// Those of some sources of an owner that processing is due for (list_sources_to_process).
// mode: read
// params: ids, user_id, recipe, force, retry, now
// returns: id, started_at, raw_size, attempts
UNWIND $ids AS wanted
MATCH (s:Source {id: wanted, user_id: $user_id})
WHERE @source_in_use(s)
  AND @is_to_be_processed(s)
RETURN s.id AS id, s.started_at AS started_at, s.raw_size AS raw_size,
  CASE
    WHEN s.processing_status = 'failed' AND s.failed_recipe = $recipe THEN coalesce(s.processing_attempts, 0)
    ELSE 0
  END AS attempts
