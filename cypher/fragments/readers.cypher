// Which readers a source has: nobody once it is removed, of a team's source of high sensitivity those who took part in it,
// else no list.
// takes: source, is_removed, sensitivity, keys
CASE
    WHEN is_removed THEN []
    WHEN sensitivity = 'high' AND source.team_id IS NOT NULL THEN coalesce(keys, [])
    ELSE null
  END
