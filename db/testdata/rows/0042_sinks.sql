UPDATE bars SET seq = 1 WHERE instrument_id = (SELECT min(instrument_id) FROM bars);
INSERT INTO sinks (name, state) VALUES ('warehouse', '{"feeds":{"bars":{"epoch":"a","number":1}}}');
