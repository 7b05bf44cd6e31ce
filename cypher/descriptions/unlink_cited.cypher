// The descriptions of these subjects rest on no notes: what they do rest on follows in link_cited.
// mode: write
// params: rows, user_id
// returns: id, removed
UNWIND $rows AS row
MATCH (m:Memory {id: row.id})-[c:DESCRIBED_BY {user_id: $user_id}]->(:Note)
WITH m.id AS id, collect(c) AS links
FOREACH (c IN links | DELETE c)
RETURN id, size(links) AS removed
