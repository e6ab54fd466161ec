INSERT INTO bar_changes (subject, resolution, seq, since, settled, corrected) VALUES
  ('bist:DMOST', '5m', 1, {{at "2026-03-18T11:45:00.12Z"}}, {{at "2026-03-18T11:45:00.12Z"}}, 1);
