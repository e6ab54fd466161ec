INSERT INTO dividends (instrument_id, ex_date, occasion, dividend_id, kind, installment, gross_per_share, currency, seq) VALUES
  ('bist:DMOST', '2026-05-04', 'id:7', '7', 'special', 0, '2.00', 'TRY', 2);
UPDATE heads SET seq = 2 WHERE feed = 'dividends';
