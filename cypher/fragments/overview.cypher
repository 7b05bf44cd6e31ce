// What a storyline or macro says as a line of a file: its title, unless that has several words and the text says them, then its
// text.
// takes: memory
CASE
  WHEN memory.title IS NULL OR (memory.title CONTAINS ' ' AND coalesce(memory.overview, memory.summary) CONTAINS memory.title)
    THEN ''
  ELSE memory.title + ': '
END + coalesce(memory.overview, memory.summary)
