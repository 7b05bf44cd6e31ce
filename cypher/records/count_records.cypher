// How many living records a user has, by what they are and their state; archived ones among them.
// mode: read
// params: user_id, kinds
// returns: kind, state, records, tokens
UNWIND $kinds AS wanted
MATCH (m:Memory {record_kind: wanted, user_id: $user_id})
WHERE @is_living(m)
RETURN m.record_kind AS kind, m.state AS state, count(m) AS records, sum(m.token_count) AS tokens
ORDER BY kind, state
