INSERT INTO bars (instrument_id, resolution, t, open, high, low, close, volume, turnover, recorded) VALUES
  ('bist:DMNSC', '1d', {{at "2026-03-15T21:00:00Z"}}, '1', '2', '0.5', '1.50', '10', '15.00', FALSE);
INSERT INTO adjustments (instrument_id, adjustment, seq) VALUES
  ('bist:DMNSC', 'unadjusted', 8);
UPDATE heads SET seq = 8 WHERE feed = 'catalog';
INSERT INTO bar_changes (subject, resolution, seq, since, settled, corrected) VALUES
  ('bist:DMNSC', '1d', 3, {{at "2026-03-15T21:00:00Z"}}, {{at "2026-03-15T21:00:00Z"}}, 3);
