// Mails that answer one of the given mails.
// mode: read
// params: rows, user_id
// returns: id, in_reply_to, ancestors
UNWIND $rows AS row
MATCH (reply:Source {user_id: $user_id, in_reply_to: row.message_id})
RETURN reply.id AS id, reply.in_reply_to AS in_reply_to, reply.ancestors AS ancestors
