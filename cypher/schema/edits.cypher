// What people have edited in their files.
// mode: schema
// params: -
// returns: -

// One node per decision of an edit: one for each memory, one for each edit of a task.
CREATE CONSTRAINT file_edit_ids IF NOT EXISTS
FOR (n:FileEdit)
REQUIRE n.id IS UNIQUE;

// What a user has edited is found by the user.
CREATE INDEX file_edit_owners IF NOT EXISTS
FOR (n:FileEdit)
ON (n.user_id);
