INSERT INTO corporate_actions (instrument_id, occasion, action_id, kind, ex_date, new, old, seq) VALUES
  ('bist:DMNSC', 'id:42', '42', 'split', '2026-03-16', '10', '1', 11);
UPDATE heads SET seq = 11 WHERE feed = 'catalog';
