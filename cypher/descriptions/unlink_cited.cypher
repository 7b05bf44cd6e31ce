// The descriptions of these subjects rest on no notes: what they do rest on follows in link_cited. The notes go with the next
// cleaning, where their time is over and nothing rests on them by then.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})-[c:DESCRIBED_BY {user_id: $user_id}]->(n:Note)
WITH m.id AS id, collect(c) AS links, collect(n) AS notes
FOREACH (n IN [one IN notes WHERE one.expiry_key IS NULL] | SET @becomes_expiring(n))
FOREACH (c IN links | DELETE c)
RETURN id, size(links) AS removed
