UPDATE instruments SET isin = 'US0378331005', seq = 10 WHERE instrument_id = 'bist:DMOST';
INSERT INTO former_meanings (instrument_id, valid_from, currency, unit) VALUES
  ('bist:DMOST', '2026-03-02', 'USD', 'ons');
INSERT INTO renames (instrument_id, predecessor, renamed_on, former_id) VALUES
  ('bist:DMOST', 'bist:DMNSB', '2026-02-02', 'gone');
INSERT INTO left_catalog (instrument_id, currency, unit, ended) VALUES
  ('bist:DMNSB', 'TRY', 'ons', 0);
UPDATE heads SET seq = 10 WHERE feed = 'catalog';
