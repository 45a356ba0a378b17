-- Puts the members of the family in its place.
insert into
  key_hits (file_id, line, matched_by, payment_key, fits_type, succeeded, same_amount, through_reference)
select
  file_id,
  line,
  matched_by,
  payment_key,
  fits_type,
  succeeded,
  same_amount,
  true
from
  family_hits;
