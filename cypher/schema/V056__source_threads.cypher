// Mails of one thread.
// mode: schema
// params: -
// returns: -
CREATE INDEX source_threads IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.thread_id)
