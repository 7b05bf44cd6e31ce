// The expired notes that somebody who goes was described by: no description of theirs rests on them any more. Those alone have
// no key.
// takes: subject
OPTIONAL MATCH (subject)-[:DESCRIBED_BY {user_id: $user_id}]->(told:Note)
WHERE told.expiry_key IS NULL
SET @becomes_expiring(told)
WITH DISTINCT row, subject
