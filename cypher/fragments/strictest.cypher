// Of two sensitivities the stricter, as privacy/access.py has it of any number.
// takes: one, other
CASE
    WHEN one = 'high' OR other = 'high' THEN 'high'
    WHEN one = 'normal' OR other = 'normal' THEN 'normal'
    ELSE 'low'
  END
