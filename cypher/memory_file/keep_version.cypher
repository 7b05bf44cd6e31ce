// The text of a file as it was last published on a day.
// mode: write
// params: id, user_id, manifest_id, path, day, text, now
// returns: id
MERGE (v:FileVersion {id: $id, user_id: $user_id})
SET v.manifest_id = $manifest_id,
  v.path = $path,
  v.day = $day,
  v.text = $text,
  v.published_at = datetime($now)
RETURN v.id AS id
