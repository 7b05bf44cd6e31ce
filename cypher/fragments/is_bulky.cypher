// A record that is longer than an archived one is to be (001: over 500 tokens), and was not condensed.
// takes: memory
memory.token_count > 500
  AND memory.full_text IS NULL
