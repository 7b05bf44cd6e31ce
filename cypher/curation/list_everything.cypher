// Every node with an owner, as it is: what an erasure looks through, so that nothing is left because nobody thought of
// its label. Nothing of it is shown to anybody.
// mode: read
// params: -
// returns: id, owner, labels, properties
// owner: no, an erasure separates what only the erased had from what anybody else has
MATCH (n)
WHERE n.user_id IS NOT NULL
RETURN n.id AS id, n.user_id AS owner, labels(n) AS labels, properties(n) AS properties
