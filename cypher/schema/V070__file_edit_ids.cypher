// One node per memory about which an edit of a file has decided.
// mode: schema
// params: -
// returns: -
CREATE CONSTRAINT file_edit_ids IF NOT EXISTS
FOR (n:FileEdit)
REQUIRE n.id IS UNIQUE
