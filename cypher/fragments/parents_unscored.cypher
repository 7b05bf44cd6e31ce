// What a mail answers is scored again, where it is the user's own.
// takes: mail
WITH row, mail
OPTIONAL MATCH (mail)-[:REPLIES_TO]->(parent:Source)
SET parent.unscored = CASE WHEN parent.team_id IS NULL THEN $user_id ELSE null END
