// What an owner's processing is due for: never done, failed, changed since, or done by another recipe
// (prompt, models, code); all of it when forced.
// mode: read
// params: user_id, recipe, force
// returns: id, started_at, raw_size
MATCH (s:Source {user_id: $user_id})
WHERE $force
  OR s.processed_recipe IS NULL
  OR s.processed_recipe <> $recipe
  OR s.processing_status IN ['raw', 'failed']
RETURN s.id AS id, s.started_at AS started_at, s.raw_size AS raw_size
