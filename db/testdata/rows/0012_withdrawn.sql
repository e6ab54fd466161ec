INSERT INTO withdrawn (of_table, key, feed, as_of, seq) VALUES ('trading_days', '"bist""2026-03-20"', 'catalog', {{at "2026-03-18T11:00:00Z"}}, 7);
UPDATE heads SET seq = 7 WHERE feed = 'catalog';
