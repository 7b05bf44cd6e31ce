// A source whose processing is due: never done, changed since, or done by another recipe (prompt, models, code); failed with
// another recipe, or for something whose time to be tried again has come; all that has failed when a retry is asked for
// ($retry); all of it when forced ($force).
// takes: source
($force
  OR source.processing_status = 'raw'
  OR (source.processing_status = 'failed'
    AND ($retry
      OR source.failed_recipe IS NULL
      OR source.failed_recipe <> $recipe
      OR (source.next_attempt_at IS NOT NULL AND source.next_attempt_at <= datetime($now))))
  OR (source.processing_status IN ['processed', 'extracted']
    AND (source.processed_recipe IS NULL OR source.processed_recipe <> $recipe)))
