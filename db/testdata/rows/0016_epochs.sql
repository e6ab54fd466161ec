INSERT INTO epochs (number, id, place, ended, skip, began) VALUES (1, 'before', '', '{}', 0, {{at "2026-03-18T09:00:00Z"}});
