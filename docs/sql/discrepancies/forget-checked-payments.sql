-- Empties the list of payments to look at again, which this run has done.
delete from payments_to_check;
