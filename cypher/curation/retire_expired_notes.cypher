// Retire notes whose time is over, with an audit that holds what they said (004, Note Retention). The source stays.
// Rails, again where the knife is: never what is noted forever, what has time left, or what a description rests on.
// mode: write
// params: rows, user_id, now
// returns: id
UNWIND $rows AS row
MATCH (n:Note {id: row.id, user_id: $user_id})
WHERE @has_expired(n, $now)
@audit(row.id, row.label, 'retire')
SET a.rails_checked = ['is_kept_forever', 'is_current_note']
WITH row, n
DETACH DELETE n
RETURN row.id AS id
