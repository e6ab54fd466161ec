INSERT INTO heads (feed, seq) VALUES ('companies', 0), ('disclosures', 0);
--bun:split
-- disclosures are never changed; seq numbers them as they were stored.
CREATE TABLE disclosures (
  disclosure_index BIGINT PRIMARY KEY,
  type             TEXT NOT NULL,
  class            TEXT NOT NULL,
  symbols          {{.JSON}} NOT NULL,
  filer_codes      {{.JSON}} NOT NULL,
  filer_title      TEXT,
  published_at     {{.Instant}},
  reason           TEXT,
  related_index    BIGINT,
  subject          {{.JSON}},
  summary          {{.JSON}},
  link             TEXT,
  attachment_count INTEGER NOT NULL,
  year             TEXT,
  period           TEXT,
  consolidation    TEXT,
  company_id       TEXT,
  body_format      TEXT,
  effective_at     {{.Instant}} NOT NULL,
  live             BOOLEAN NOT NULL,
  seq              BIGINT NOT NULL UNIQUE
);
--bun:split
CREATE INDEX disclosures_by_time ON disclosures (effective_at, disclosure_index);
--bun:split
CREATE INDEX disclosures_by_type ON disclosures (type, effective_at, disclosure_index);
--bun:split
CREATE INDEX disclosures_by_class ON disclosures (class, effective_at, disclosure_index);
--bun:split
CREATE INDEX disclosures_by_reason ON disclosures (reason, effective_at, disclosure_index);
--bun:split
CREATE INDEX disclosures_by_company ON disclosures (company_id, effective_at, disclosure_index);
--bun:split
-- disclosure_codes finds disclosures by code, in the order of lists and in
-- that of their numbers.
CREATE TABLE disclosure_codes (
  code             TEXT NOT NULL,
  effective_at     {{.Instant}} NOT NULL,
  disclosure_index BIGINT NOT NULL,
  PRIMARY KEY (code, effective_at, disclosure_index)
) {{.Clustered}};
--bun:split
CREATE INDEX disclosure_codes_by_number ON disclosure_codes (code, disclosure_index);
--bun:split
-- disclosure_parts is what only the page of a disclosure shows; they may come
-- later than the disclosure.
CREATE TABLE disclosure_parts (
  disclosure_index BIGINT PRIMARY KEY,
  attachments      {{.JSON}},
  facts            {{.JSON}},
  contexts         {{.JSON}},
  file_type        TEXT,
  content          TEXT
);
--bun:split
CREATE TABLE companies (
  company_id TEXT PRIMARY KEY,
  record     {{.JSON}} NOT NULL,
  seq        BIGINT NOT NULL
);
--bun:split
-- secrets are made once per database, so that every server signs alike.
CREATE TABLE secrets (
  name   TEXT PRIMARY KEY,
  secret TEXT NOT NULL
);
