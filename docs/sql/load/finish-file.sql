-- Marks a file as loaded with its counts; last statement of a load.
update settlement_files
set
  status = 'loaded',
  finished_run_id = $1,
  report_name = $2,
  rows_total = $3,
  rows_accepted = $4,
  rows_rejected = $5,
  rows_already_known = $6,
  first_settlement_date = $7,
  last_settlement_date = $8,
  error_code = null,
  error_message = null
where
  id = $9;
