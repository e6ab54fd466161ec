INSERT INTO dividends (instrument_id, ex_date, installment, payment_date, gross_per_share, net_per_share, currency, seq) VALUES
  ('bist:DMOST', '2026-05-04', 1, '2026-05-06', '1.00', '0.85', 'TRY', 1);
UPDATE heads SET seq = 1 WHERE feed = 'dividends';
