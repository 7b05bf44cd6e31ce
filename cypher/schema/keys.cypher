// Which agents may reach whose memory.
// mode: schema
// params: -
// returns: -

// A key by the digest of its token: one read for each request.
CREATE CONSTRAINT agent_key_digests IF NOT EXISTS
FOR (k:AgentKey)
REQUIRE k.digest IS UNIQUE;

// The keys of a user.
CREATE INDEX agent_keys IF NOT EXISTS
FOR (k:AgentKey)
ON (k.user_id);

// The agents of a user.
CREATE INDEX agents IF NOT EXISTS
FOR (a:Agent)
ON (a.user_id, a.id);
