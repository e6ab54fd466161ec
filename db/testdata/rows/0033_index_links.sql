INSERT INTO index_links (series_id, from_base, to_base, factor, divisor, month, source, seq) VALUES
  ('TUFE', '2003=100', '2025=100', '100', '3012.45', '2026-01', 'TÜİK', 2);
UPDATE heads SET seq = 2 WHERE feed = 'inflation';
