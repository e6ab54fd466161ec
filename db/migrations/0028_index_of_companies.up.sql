-- disclosures_of_company has taken its place.
DROP INDEX disclosures_by_company;
