-- A disclosure without a time of publication takes that of the nearest lower number
-- that has one, however far below that is.
CREATE INDEX {{.Beside}} disclosures_published ON disclosures (disclosure_index) WHERE published_at IS NOT NULL;
