// What was decided about memories, and the audits of that and of what was retired.
// mode: schema
// params: -
// returns: -

// No two audits share an id.
CREATE CONSTRAINT curation_audit_id IF NOT EXISTS
FOR (n:CurationAudit)
REQUIRE n.id IS UNIQUE;

// What was retired of an owner.
CREATE INDEX curation_audit_owners IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.user_id, n.action);

// What was cut of an owner's from an instant on, by owner, instant and id as one text: a range that both engines read from the
// index.
CREATE INDEX audit_cuts IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.cut_key);

// What was retired since an owner's memories were last scored.
CREATE INDEX audit_unscored IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.unscored);

// What was retired since it was last judged what holds of an owner's statements.
CREATE INDEX audit_unjudged IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.unjudged);

// A pair of memories that may be one is found by its id, and no two share one.
CREATE CONSTRAINT duplicate_pair_id IF NOT EXISTS
FOR (n:DuplicatePair)
REQUIRE n.id IS UNIQUE;

// The pairs of an owner by what was decided of them.
CREATE INDEX duplicate_pair_states IF NOT EXISTS
FOR (n:DuplicatePair)
ON (n.user_id, n.status);

// The pair by which a memory was merged into another one.
CREATE INDEX duplicate_pair_merged IF NOT EXISTS
FOR (n:DuplicatePair)
ON (n.merged_id);

// The pairs by which others were merged into a memory.
CREATE INDEX duplicate_pair_kept IF NOT EXISTS
FOR (n:DuplicatePair)
ON (n.kept_id);

// The statements of an owner that came in since they were last compared.
CREATE INDEX memory_uncompared IF NOT EXISTS
FOR (n:Memory)
ON (n.uncompared);

// The archived records of an owner that are long, and wait to be condensed.
CREATE INDEX memory_bulky IF NOT EXISTS
FOR (n:Memory)
ON (n.bulky);

// The names that were retired since an owner's storylines were formed.
CREATE INDEX audit_untold IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.untold);

// Every Decision is found by its id, and no two share one.
CREATE CONSTRAINT decision_id IF NOT EXISTS
FOR (n:Decision)
REQUIRE n.id IS UNIQUE;

// The decisions of a user, by what they are about.
CREATE INDEX decision_kinds IF NOT EXISTS
FOR (n:Decision)
ON (n.user_id, n.kind);

// What was decided about a memory, and by which other one.
CREATE INDEX decision_memories IF NOT EXISTS
FOR (n:Decision)
ON (n.memory_id);

CREATE INDEX decision_others IF NOT EXISTS
FOR (n:Decision)
ON (n.by_memory_id);

// Every audit of a memory.
CREATE INDEX curation_audit_memories IF NOT EXISTS
FOR (n:CurationAudit)
ON (n.memory_id);

// What a cycle did is found by its id, and no two share one.
CREATE CONSTRAINT curation_cycle_id IF NOT EXISTS
FOR (n:CurationCycleSummary)
REQUIRE n.id IS UNIQUE;

// The cycles of an owner.
CREATE INDEX curation_cycle_owners IF NOT EXISTS
FOR (n:CurationCycleSummary)
ON (n.user_id);

// What each cadence has to look at, by instant, owner and id as one text: a range that both engines read from the index.
CREATE INDEX memory_curate_5m IF NOT EXISTS
FOR (n:Memory)
ON (n.curate_5m_key);

CREATE INDEX memory_curate_15m IF NOT EXISTS
FOR (n:Memory)
ON (n.curate_15m_key);

CREATE INDEX memory_curate_1h IF NOT EXISTS
FOR (n:Memory)
ON (n.curate_1h_key);

CREATE INDEX memory_curate_6h IF NOT EXISTS
FOR (n:Memory)
ON (n.curate_6h_key);

// Which tombstones are to be removed, in the same way.
CREATE INDEX memory_tombstones IF NOT EXISTS
FOR (n:Memory)
ON (n.tombstone_key);

// What a tier of an owner's holds.
CREATE INDEX memory_tiers IF NOT EXISTS
FOR (n:Memory)
ON (n.tier, n.user_id);

// No two erasures share an id.
CREATE CONSTRAINT erasure_id IF NOT EXISTS
FOR (n:Erasure)
REQUIRE n.id IS UNIQUE;

// What was erased of an owner.
CREATE INDEX erasure_owners IF NOT EXISTS
FOR (n:Erasure)
ON (n.user_id);
