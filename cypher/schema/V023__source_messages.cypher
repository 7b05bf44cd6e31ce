// A reply finds the message it answers.
// mode: schema
// params: -
// returns: -
CREATE INDEX source_messages IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.message_id)
