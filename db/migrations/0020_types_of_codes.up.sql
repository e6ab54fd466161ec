-- The codes of disclosures, and the index of companies, state the type, so that those
-- of one type are picked without a look at each disclosure.
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
DROP TABLE disclosure_codes;
--bun:split
ALTER TABLE typed_codes RENAME TO disclosure_codes;
--bun:split
CREATE INDEX disclosure_codes_by_number ON disclosure_codes (code, disclosure_index);
--bun:split
DROP INDEX disclosures_by_company;
--bun:split
CREATE INDEX disclosures_by_company ON disclosures (company_id, effective_at, disclosure_index, type);
