// The name of an anchor as people see it: its own name as most sources write it (of equals, the first in text order),
// with all other ways in which sources call it. The owner is called as the profile says.
// mode: write
// params: rows, user_id
// returns: id, name
UNWIND $rows AS row
MATCH (n:Memory {id: row.id, user_id: $user_id})
MATCH (n)<-[m:MENTIONS {user_id: $user_id}]-(s:Source)
WITH n, m.name AS name, CASE WHEN m.name_id = n.id THEN 1 ELSE 0 END AS own, count(DISTINCT s.id) AS times
ORDER BY own DESC, times DESC, name
WITH n, collect(name) AS names
WITH n, names, CASE WHEN coalesce(n.is_owner, false) THEN n.name ELSE head(names) END AS name
UNWIND names AS alias
WITH DISTINCT n, name, alias
ORDER BY alias
WITH n, name, collect(alias) AS aliases
SET n.name = name,
  n.aliases = CASE WHEN size(aliases) > 1 OR aliases[0] <> name THEN [a IN aliases WHERE a <> name] ELSE null END
RETURN n.id AS id, name
