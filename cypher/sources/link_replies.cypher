// Mails to the mails that they answer, as far as those are stored.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (reply:Source {id: row.id, user_id: $user_id})
MATCH (parent:Source {user_id: $user_id, message_id: row.in_reply_to})
WHERE parent.id <> reply.id
MERGE (reply)-[:REPLIES_TO]->(parent)
RETURN reply.id AS id
