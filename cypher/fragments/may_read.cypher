// Who may read a source: its owner, or a member of the team that owns it; of one that only some may read (a team's of
// high sensitivity: those who took part, a removed one: nobody) one of these. $user_ids are the user's owner keys, the
// keys of the user's names and, for an agent that works in a project, its key (graph/owners.py); privacy/access.py says who is known
// by which key, privacy/projects.py what is offered in a project.
// takes: source
source.user_id IN $user_ids
  AND @is_open_to(source.readers, $user_ids)
  AND (source.project IS NULL OR 'project: ' + source.project IN $user_ids
    OR none(key IN $user_ids WHERE key STARTS WITH 'project: '))
