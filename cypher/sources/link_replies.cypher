// Mails to the nearest of the mails that they answer that is stored: the parent, or while that is missing an ancestor of
// it (References). `names` are their message ids, the nearest first. A link to one that is farther off goes.
// All are found before the first goes: the embedded engine loses its way in links that go while it follows them.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (reply:Source {id: row.id, user_id: $user_id})
UNWIND range(0, size(row.names) - 1) AS depth
MATCH (found:Source {user_id: $user_id, message_id: row.names[depth]})
WHERE found.id <> reply.id
WITH reply, row.names AS names, min(depth) AS nearest
WITH reply, names[nearest] AS name
OPTIONAL MATCH (reply)-[old:REPLIES_TO]->(other:Source)
WHERE other.message_id <> name
WITH reply, name, collect(old) AS links, collect(other) AS others, collect(other.id) AS before
FOREACH (one IN others | SET one.unscored = CASE WHEN one.team_id IS NULL THEN $user_id ELSE null END)
FOREACH (old IN links | DELETE old)
WITH reply, name, before
MATCH (parent:Source {user_id: $user_id, message_id: name})
WHERE parent.id <> reply.id
MERGE (reply)-[:REPLIES_TO]->(parent)
SET parent.unscored = CASE WHEN parent.team_id IS NULL THEN $user_id ELSE null END
WITH reply, [reply.id, parent.id] + before AS moved
UNWIND moved AS source_id
OPTIONAL MATCH (made:Extraction {source_id: source_id})
SET made.uncompressed = made.user_id
RETURN DISTINCT reply.id AS id
