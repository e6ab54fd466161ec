INSERT INTO disclosure_words (disclosure_index, words) VALUES (1600707, ' ozel durum | material event ');
INSERT INTO unsearched (disclosure_index) VALUES (1600708);
