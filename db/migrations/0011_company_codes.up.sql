-- company_codes are the codes that companies have or had; seq says when the
-- record of the company stated the code last.
CREATE TABLE company_codes (
  company_id TEXT NOT NULL,
  code       TEXT NOT NULL,
  seq        BIGINT NOT NULL,
  PRIMARY KEY (company_id, code)
);
--bun:split
INSERT INTO company_codes (company_id, code, seq)
SELECT DISTINCT company_id, e.value, seq FROM companies, {{.Elements}}(record -> 'codes') AS e;
