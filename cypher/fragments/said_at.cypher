// When a source says what it states: the day that an entry of a log begins with, its turn's time where the source has one, else the
// source's.
// takes: link, source
coalesce(link.said_at, source.started_at)
