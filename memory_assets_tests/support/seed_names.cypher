// What a name was resolved to, as the resolution of names leaves it.
MERGE (a:AnchorName {name_id: $id, user_id: $user_id})
SET a.resolved_id = $resolved_id
