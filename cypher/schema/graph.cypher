// What all rooms share: memories by id, reference and state, users, teams, the marks of each stage, and the
// records of this schema and the configuration.
// mode: schema
// params: -
// returns: -

// Each of these files has one record of having been applied.
CREATE CONSTRAINT migration_id IF NOT EXISTS
FOR (n:Migration)
REQUIRE n.id IS UNIQUE;

// No two memories share an id, whatever their type.
CREATE CONSTRAINT memory_id IF NOT EXISTS
FOR (n:Memory)
REQUIRE n.id IS UNIQUE;

// A reference in a MEMORY.md leads to its memory.
CREATE INDEX memory_refs IF NOT EXISTS
FOR (n:Memory)
ON (n.ref, n.user_id);

// The living memories of an owner.
CREATE INDEX memory_states IF NOT EXISTS
FOR (n:Memory)
ON (n.state, n.user_id);

// The memories of an owner that were written since they were last scored.
CREATE INDEX memory_unscored IF NOT EXISTS
FOR (n:Memory)
ON (n.unscored);

// The statements of an owner that were written since it was last judged what holds.
CREATE INDEX memory_unjudged IF NOT EXISTS
FOR (n:Memory)
ON (n.unjudged);

// The memories of an owner of which it is not known on which day they will have faded.
CREATE INDEX memory_unaged IF NOT EXISTS
FOR (n:Memory)
ON (n.unaged);

// The memories of an owner whose accesses are to be counted anew: who they are, or since when they are confirmed, is known
// otherwise.
CREATE INDEX memory_uncounted IF NOT EXISTS
FOR (n:Memory)
ON (n.uncounted);

// The names of an owner whose sources have changed since their storylines were formed, and the statements of several sources.
CREATE INDEX memory_untold IF NOT EXISTS
FOR (n:Memory)
ON (n.untold);

// Every SystemConfig is found by its id, and no two share one.
CREATE CONSTRAINT system_config_id IF NOT EXISTS
FOR (n:SystemConfig)
REQUIRE n.id IS UNIQUE;

// Every StageState is found by its id, and no two share one.
CREATE CONSTRAINT stage_state_id IF NOT EXISTS
FOR (n:StageState)
REQUIRE n.id IS UNIQUE;

// What a stage of an owner was last made from.
CREATE INDEX stage_owners IF NOT EXISTS
FOR (n:StageState)
ON (n.user_id, n.stage);

// Every User is found by its id, and no two share one.
CREATE CONSTRAINT user_id IF NOT EXISTS
FOR (n:User)
REQUIRE n.id IS UNIQUE;

// A user's memberships are found by the user's name.
CREATE INDEX user_names IF NOT EXISTS
FOR (n:User)
ON (n.user_id);

// Every Team is found by its id, and no two share one.
CREATE CONSTRAINT team_id IF NOT EXISTS
FOR (n:Team)
REQUIRE n.id IS UNIQUE;

// A team by its name.
CREATE INDEX team_names IF NOT EXISTS
FOR (n:Team)
ON (n.team_id);
