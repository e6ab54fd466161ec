INSERT INTO servers (id, machine, pid, shares, seen) VALUES ('one', 'machine', 42, TRUE, 1773835200000000);
INSERT INTO shared_buckets (key_id, sort, tokens, granted, at) VALUES ('key_revoked', 'requests', 1000000, 0, 1773835200000000);
