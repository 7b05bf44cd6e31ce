// What a statement is by all sources that make it: the words first in text order, the strongest confidence
// and durability, the most frequent type (the more durable of equals), the owner's word if in one of them. Abandoned
// is what occurs in abandoned branches of conversations alone. The statement that is understood alone is the one of all
// sources that give one, whatever its case and marks; empty where none does, or where they differ. It is quoted
// where its sources quote it in one way, or one person.
// mode: write
// params: rows, user_id, now
// returns: id, source_count
UNWIND $rows AS row
MATCH (c:KnowledgeChunk {id: row.id, user_id: $user_id})
MATCH (c)<-[r:STATES {user_id: $user_id}]-(s:Source)
WITH c, count(DISTINCT s.id) AS sources, max(@said_at(r, s)) AS occurred_at,
  min(s.started_at) AS first_at,
  max(coalesce(s.ingested_at, s.created_at)) AS ingested_at, min(r.content) AS content,
  min(CASE WHEN coalesce(r.statement, r.content) <> '' THEN coalesce(r.statement, r.content) END) AS statement,
  count(DISTINCT CASE WHEN coalesce(r.statement, r.content) <> '' THEN
    replace(replace(replace(replace(toLower(coalesce(r.statement, r.content)), '.', ''), '!', ''), '…', ''), '。', '')
  END) AS statements,
  min(r.quotation) AS quotation, count(DISTINCT r.quotation) AS quotations,
  min(r.speaker) AS speaker, count(DISTINCT r.speaker) AS speakers, max(r.confidence) AS confidence, max(r.durability) AS durability,
  CASE WHEN count(r.lasting) = count(r) THEN max(r.lasting) END AS lasting,
  max(CASE WHEN r.is_instruction THEN 1 ELSE 0 END) AS instructions,
  max(CASE WHEN r.has_personal_data THEN 1 ELSE 0 END) AS personal,
  max(CASE WHEN r.said_by_owner THEN 1 ELSE 0 END) AS by_owner,
  max(CASE WHEN coalesce(s.provenance, '') CONTAINS '"branch": "abandoned"' THEN 0 ELSE 1 END) AS shown,
  sum(CASE WHEN r.content_type = 'preference' THEN 1 ELSE 0 END) AS preferences,
  sum(CASE WHEN r.content_type = 'task' THEN 1 ELSE 0 END) AS tasks,
  sum(CASE WHEN r.content_type = 'insight' THEN 1 ELSE 0 END) AS insights,
  sum(CASE WHEN r.content_type = 'chitchat' THEN 1 ELSE 0 END) AS chitchats
SET @becomes_untold(c, sources > 1 OR c.source_count > 1, first_at),
  c.source_count = sources,
  c.occurred_at = occurred_at,
  c.content = content,
  c.statement = CASE WHEN statements = 1 THEN statement ELSE '' END,
  c.quotation = CASE WHEN quotations = 1 OR speakers = 1 THEN quotation END,
  c.speaker = speaker,
  c.confidence = confidence,
  c.durability = durability,
  c.lasting = lasting,
  c.is_instruction = (instructions = 1),
  c.said_by_owner = (by_owner = 1),
  c.has_personal_data = (personal = 1),
  c.is_abandoned = (shown = 0),
  c.content_type = CASE
    WHEN preferences >= tasks AND preferences >= insights AND preferences >= chitchats THEN 'preference'
    WHEN tasks >= insights AND tasks >= chitchats THEN 'task'
    WHEN insights >= chitchats THEN 'insight'
    ELSE 'chitchat'
  END,
  @becomes_uncounted(c, ingested_at),
  c.ingested_at = ingested_at,
  c.unaged = $user_id,
  c.unscored = $user_id,
  c.unjudged = $user_id,
  c.updated_at = datetime($now)
WITH c, content, sources
MATCH (c)<-[worded:STATES {user_id: $user_id}]-(:Source)
WHERE worded.content = content
WITH c, sources, min(worded.token_count) AS tokens
SET c.token_count = tokens
RETURN c.id AS id, sources AS source_count
