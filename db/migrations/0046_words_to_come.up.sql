-- Beside writers: what they store meanwhile the triggers have noted.
INSERT INTO unsearched (disclosure_index) SELECT disclosure_index FROM disclosures WHERE TRUE ON CONFLICT DO NOTHING;
