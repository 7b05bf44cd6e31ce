// Of a user's source whether processing is due for it: never done, changed since, or done by another recipe (prompt, models,
// code); failed with another recipe, or for something whose time to be tried again has come; all that has failed when a retry is
// asked for ($retry); all of it when forced ($force). Never what was removed or withdrawn. attempts: how often it has failed in a
// row with this recipe.
// takes: source
WHERE @source_in_use(source)
  AND ($force
    OR source.processing_status = 'raw'
    OR (source.processing_status = 'failed'
      AND ($retry
        OR source.failed_recipe IS NULL
        OR source.failed_recipe <> $recipe
        OR (source.next_attempt_at IS NOT NULL AND source.next_attempt_at <= datetime($now))))
    OR (source.processing_status IN ['processed', 'extracted']
      AND (source.processed_recipe IS NULL OR source.processed_recipe <> $recipe)))
RETURN source.id AS id, source.started_at AS started_at, source.raw_size AS raw_size,
  CASE
    WHEN source.processing_status = 'failed' AND source.failed_recipe = $recipe THEN coalesce(source.processing_attempts, 0)
    ELSE 0
  END AS attempts
