// The sources of which a user's contexts may be due, as a run takes them: those that are marked, and those that a run which was
// killed had taken. What marks one meanwhile is left for the next run.
// mode: write
// params: user_id, taken
// returns: id
UNWIND [$user_id, $taken] AS mark
MATCH (x:Extraction {uncompressed: mark})
WITH x
WHERE x.user_id = $user_id
SET x.uncompressed = $taken
RETURN DISTINCT x.source_id AS id
ORDER BY id
