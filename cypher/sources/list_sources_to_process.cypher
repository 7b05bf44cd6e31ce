// What an owner's processing is due for: never done, changed since, or done by another recipe (prompt, models, code);
// failed with another recipe, or for something whose time to be tried again has come; all that has failed when a
// retry is asked for; all of it when forced; never what was removed or withdrawn. attempts: how often it has failed in a row with
// this recipe.
// mode: read
// params: user_id, recipe, force, retry, now
// returns: id, started_at, raw_size, attempts
MATCH (s:Source {user_id: $user_id})
WHERE @source_in_use(s)
  AND ($force
    OR s.processing_status = 'raw'
    OR (s.processing_status = 'failed'
      AND ($retry
        OR s.failed_recipe IS NULL
        OR s.failed_recipe <> $recipe
        OR (s.next_attempt_at IS NOT NULL AND s.next_attempt_at <= datetime($now))))
    OR (s.processing_status IN ['processed', 'extracted']
      AND (s.processed_recipe IS NULL OR s.processed_recipe <> $recipe)))
RETURN s.id AS id, s.started_at AS started_at, s.raw_size AS raw_size,
  CASE
    WHEN s.processing_status = 'failed' AND s.failed_recipe = $recipe THEN coalesce(s.processing_attempts, 0)
    ELSE 0
  END AS attempts
