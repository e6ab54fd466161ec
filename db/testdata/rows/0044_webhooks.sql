INSERT INTO webhooks (id, key_id, url, topics, begins, created_at, state)
VALUES ('wh_one', 'key_one', 'https://example.com/hook', '["all"]', 'a:1', 1700000000, '{"feeds":{"disclosures":{"epoch":"a","number":1}}}');
