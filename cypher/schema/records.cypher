// What agents record, and when curation looks at it.
// mode: schema
// params: -
// returns: -

// The records of an owner by what they are.
CREATE INDEX record_kinds IF NOT EXISTS
FOR (n:Memory)
ON (n.record_kind, n.user_id);

// A record by its agent's own id, which other records refer to.
CREATE INDEX record_own_ids IF NOT EXISTS
FOR (n:Memory)
ON (n.record_id, n.user_id);

// The records of an owner that refer to what has not come in.
CREATE INDEX record_unlinked IF NOT EXISTS
FOR (n:Memory)
ON (n.unlinked);

// The records of an owner in a tier.
CREATE INDEX memory_tiers IF NOT EXISTS
FOR (n:Memory)
ON (n.tier, n.user_id);

// The sources of an owner that agents' records are.
CREATE INDEX source_types IF NOT EXISTS
FOR (n:Source)
ON (n.source_type, n.user_id);

// What each cadence of curation has to look at, by instant, owner and id as one text: a range that both engines read from
// the index.
CREATE INDEX memory_curated_5m IF NOT EXISTS
FOR (n:Memory)
ON (n.curate_5m_key);

CREATE INDEX memory_curated_15m IF NOT EXISTS
FOR (n:Memory)
ON (n.curate_15m_key);

CREATE INDEX memory_curated_1h IF NOT EXISTS
FOR (n:Memory)
ON (n.curate_1h_key);

CREATE INDEX memory_curated_6h IF NOT EXISTS
FOR (n:Memory)
ON (n.curate_6h_key);

// What is to be removed for good, in the same way.
CREATE INDEX memory_tombstones IF NOT EXISTS
FOR (n:Memory)
ON (n.tombstone_key);
