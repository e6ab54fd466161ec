-- The disclosures of one type of a code or of a company lie together, in the order of
-- lists, so that a page of a rare type costs the same however many others there are.
CREATE INDEX {{.Beside}} disclosure_codes_by_type ON disclosure_codes (code, type, effective_at, disclosure_index);
--bun:split
CREATE INDEX {{.Beside}} disclosures_by_company_type ON disclosures (company_id, type, effective_at, disclosure_index);
