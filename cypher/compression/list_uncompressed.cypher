// The sources of which a user's contexts may be due: those that are marked, and those that a run which was killed had taken.
// mode: read
// params: user_id, taken
// returns: id
UNWIND [$user_id, $taken] AS mark
MATCH (x:Extraction {uncompressed: mark})
WITH x
WHERE x.user_id = $user_id
RETURN DISTINCT x.source_id AS id
ORDER BY id
