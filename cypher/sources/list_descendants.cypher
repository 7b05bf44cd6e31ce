// Mails of the given mails' threads that name one of these further up: theirs it is while nearer ones are missing.
// mode: read
// params: rows, user_id
// returns: id, in_reply_to, ancestors
UNWIND $rows AS row
MATCH (reply:Source {user_id: $user_id, thread_id: row.thread_id})
WHERE row.message_id IN reply.ancestors
RETURN reply.id AS id, reply.in_reply_to AS in_reply_to, reply.ancestors AS ancestors
