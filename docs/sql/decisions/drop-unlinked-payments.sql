-- Drops the payments that records were unlinked from out of what a key found.
delete from "key_hits" h using manual_links d
where
  d.kind = 'unlink'
  and d.file_id = h.file_id
  and d.line = h.line
  and d.payment_key = h.payment_key;
