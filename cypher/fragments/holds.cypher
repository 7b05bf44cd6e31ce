// From here on nobody else writes a memory until the transaction ends, so that what a statement then asks of it holds when it
// writes: Neo4j reads what a WHERE asks without a lock, and takes one with the first property that is set, which is as it was.
// takes: memory
SET memory.user_id = memory.user_id
