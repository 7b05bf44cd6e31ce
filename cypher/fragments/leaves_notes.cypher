// The notes that somebody who goes was described by: no description of theirs rests on them any more.
// takes: subject
OPTIONAL MATCH (subject)-[:DESCRIBED_BY {user_id: $user_id}]->(told:Note)
SET @becomes_expiring(told)
WITH DISTINCT row, subject
