// The other direction of arrival: mails that were stored before the mail that they answer.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
MATCH (parent:Source {id: row.id, user_id: $user_id})
MATCH (reply:Source {user_id: $user_id, in_reply_to: row.message_id})
WHERE parent.id <> reply.id
MERGE (reply)-[:REPLIES_TO]->(parent)
RETURN reply.id AS id
