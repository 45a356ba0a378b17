-- Moves the corrected rows of a file from its rejected to its accepted rows.
update settlement_files
set
  rows_accepted = rows_accepted + $1,
  rows_rejected = rows_rejected - $2,
  rows_already_known = rows_already_known + $3,
  first_settlement_date = least(first_settlement_date, $4),
  last_settlement_date = greatest(last_settlement_date, $5)
where
  id = $6;
