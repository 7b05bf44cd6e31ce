// Users, teams, the marks of each stage, and files that have moved in.
// mode: schema
// params: -
// returns: -

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

// One node per file of a user that has moved in.
CREATE CONSTRAINT file_migration_ids IF NOT EXISTS
FOR (n:FileMigration)
REQUIRE n.id IS UNIQUE;
