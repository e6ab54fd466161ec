INSERT INTO usage (key_id, day, operation, units) VALUES ('key_revoked', '2026-03-18', '/v1/quotes/{instrument_id}', 12);
INSERT INTO usage_months (month, key_id, units) VALUES ('2026-03', 'key_revoked', 12);
INSERT INTO usage_writers (writer, batch, seen) VALUES ('one', 3, {{at "2026-03-18T11:00:00Z"}});
