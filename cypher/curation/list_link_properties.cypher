// What every relationship of a node with an owner says, as an erasure searches it where no file of the graph is at hand.
// Nothing of it is shown to anybody.
// mode: read
// params: -
// returns: properties
// owner: no, an erasure searches what anybody has
MATCH (a)-[r]->()
WHERE a.user_id IS NOT NULL
RETURN properties(r) AS properties
