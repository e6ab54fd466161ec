INSERT INTO superseded (of_table, subject, key, version, until, published, record) VALUES
  ('bist_indices', 'XDEMO', '"XDEMO"', 1, 2, {{at "2026-03-17T06:00:00Z"}}, {{bytes "00"}});
INSERT INTO commits (feed, at, first, last) VALUES ('catalog', {{at "2026-03-18T06:00:00Z"}}, 1, 9);
