INSERT INTO source_states (source, state, as_of, seq) VALUES
  ('fx1600707', '{"done":"2026-03-18T12:00:00Z","kept":{"day":"2026-03-18"}}', {{at "2026-03-18T12:00:00Z"}}, 2);
UPDATE heads SET seq = 2 WHERE feed = 'sources';
INSERT INTO collectors (source, holder, until) VALUES ('fx1600707', 'one', 1773835200000000);
