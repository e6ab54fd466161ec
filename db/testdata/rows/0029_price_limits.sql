INSERT INTO price_limits (date, instrument_id, limit_up, limit_down, seq) VALUES
  ('2026-03-18', 'bist:DMNSC', '13.20', '10.80', 9);
UPDATE heads SET seq = 9 WHERE feed = 'catalog';
