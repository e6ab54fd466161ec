INSERT INTO corporate_actions (instrument_id, occasion, action_id, kind, ex_date, new, old, seq) VALUES
  ('bist:DMNSC', 'id:42', '42', 'split', '2026-03-16', '10', '1', 11);
INSERT INTO corporate_actions (instrument_id, occasion, action_id, kind, ex_date, new, old, price, currency, "order", disclosure_index, seq) VALUES
  ('bist:DMNSC', 'id:43', '43', 'rights_issue', '2026-04-20', '3', '2', '1.50', 'TRY', 2, 1500001, 12);
UPDATE heads SET seq = 12 WHERE feed = 'catalog';
