-- Creates the unique index on the identity of records; after the part was filled.
create unique index "settlement_records_N_identity" on "settlement_records_N" (settlement_date, fingerprint, occurrence);
