// Who may read a source: its owner, or a member of the team that owns it; of one that only some may read (a team's of
// high sensitivity: those who took part, a removed one: nobody) one of these. $user_ids are the user's owner keys and
// the keys of the user's names (graph/owners.py); privacy/access.py says who is known by which key.
// takes: source
source.user_id IN $user_ids
  AND @is_open_to(source.readers, $user_ids)
