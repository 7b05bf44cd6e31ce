// A message finds the replies that came before it.
// mode: schema
// params: -
// returns: -
CREATE INDEX source_replies IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.in_reply_to)
