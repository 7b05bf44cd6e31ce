// How many nodes the graph holds of each label (a memory counts under each of its labels).
// mode: read
// params: -
// returns: label, nodes
// owner: no, counts over the whole installation; no content
MATCH (n)
UNWIND labels(n) AS label
RETURN label, count(*) AS nodes
ORDER BY label
