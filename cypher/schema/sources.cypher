// Sources, their texts and the files that they came from.
// mode: schema
// params: -
// returns: -

// Every Source is found by its id, and no two share one.
CREATE CONSTRAINT source_id IF NOT EXISTS
FOR (n:Source)
REQUIRE n.id IS UNIQUE;

// What of an owner waits for which stage.
CREATE INDEX source_status IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.processing_status);

// The sources of an owner in a window of time.
CREATE INDEX source_times IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.started_at);

// The sources of a project.
CREATE INDEX source_projects IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.project);

// A reply finds the message it answers.
CREATE INDEX source_messages IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.message_id);

// A message finds the replies that came before it.
CREATE INDEX source_replies IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.in_reply_to);

// Mails of one thread.
CREATE INDEX source_threads IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.thread_id);

// The sources of one channel.
CREATE INDEX source_channels IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.channel);

// The sources of one file.
CREATE INDEX source_paths IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.path);

// The parts of one conversation.
CREATE INDEX source_conversations IF NOT EXISTS
FOR (n:Source)
ON (n.user_id, n.conversation_id);

// Every SourceFile is found by its id, and no two share one.
CREATE CONSTRAINT source_file_id IF NOT EXISTS
FOR (n:SourceFile)
REQUIRE n.id IS UNIQUE;

// A file of the inbox that was seen before.
CREATE INDEX source_file_paths IF NOT EXISTS
FOR (n:SourceFile)
ON (n.user_id, n.path);

// One node per text of a source: what was found, what it was before it was masked, its cleaned words, and its turns.
CREATE CONSTRAINT source_text_ids IF NOT EXISTS
FOR (n:SourceText)
REQUIRE n.id IS UNIQUE;
