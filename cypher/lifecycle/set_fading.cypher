// On which day memories fade, and from which on sources have rested, as one text with their owner each; those that had faded
// and are said again are what they were. Of what more has arrived than decay counts from (since), the day is found again.
// mode: write
// params: rows, user_id
// returns: id
UNWIND $rows AS row
@owned_memory(row.id)
SET m.fade_key = row.fade_key,
  m.rest_key = row.rest_key,
  m.rested_key = null,
  m.unaged = CASE WHEN coalesce(m.ingested_at, m.created_at) > datetime(row.since) THEN m.unaged ELSE null END,
  m.state = coalesce(row.back_as, m.state),
  m.archived_from = CASE WHEN row.back_as IS NULL THEN m.archived_from ELSE null END,
  m.archived_at = CASE WHEN row.back_as IS NULL THEN m.archived_at ELSE null END,
  m.folded_by = CASE WHEN row.back_as IS NULL THEN m.folded_by ELSE null END,
  m.kept_turns = CASE WHEN row.back_as IS NULL THEN m.kept_turns ELSE null END,
  m.unscored = CASE WHEN row.back_as IS NOT NULL AND row.is_valued THEN $user_id ELSE m.unscored END
RETURN m.id AS id
