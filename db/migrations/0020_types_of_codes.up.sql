-- The codes of disclosures state the type, so that those of one type are picked without a
-- look at each disclosure. They are copied beside writers; what these stored meanwhile,
-- after the number in typed_since, is copied at the end.
CREATE TABLE typed_since AS SELECT seq FROM heads WHERE feed = 'disclosures';
--bun:split
CREATE TABLE typed_codes (
  code             TEXT NOT NULL,
  effective_at     {{.Instant}} NOT NULL,
  disclosure_index BIGINT NOT NULL,
  type             TEXT NOT NULL,
  added            BOOLEAN NOT NULL,
  PRIMARY KEY (code, effective_at, disclosure_index, type)
) {{.Clustered}};
--bun:split
INSERT INTO typed_codes
SELECT c.code, c.effective_at, c.disclosure_index, d.type, c.added
FROM disclosure_codes AS c JOIN disclosures AS d ON d.disclosure_index = c.disclosure_index
ORDER BY c.code, c.effective_at, c.disclosure_index;
--bun:split
ALTER TABLE disclosure_codes RENAME TO untyped_codes;
--bun:split
INSERT INTO typed_codes
SELECT c.code, c.effective_at, c.disclosure_index, d.type, c.added
FROM typed_since AS s, disclosures AS d, untyped_codes AS c
WHERE (d.seq > s.seq OR d.completed_seq > s.seq OR d.filled_seq > s.seq) AND c.disclosure_index = d.disclosure_index
ON CONFLICT DO NOTHING;
--bun:split
DROP TABLE untyped_codes;
--bun:split
DROP TABLE typed_since;
--bun:split
ALTER TABLE typed_codes RENAME TO disclosure_codes;
