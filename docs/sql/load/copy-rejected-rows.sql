-- Stores the rejected rows of a file with their issues; while a file is loaded.
copy rejected_rows (file_id, line, raw_text, issues)
from
  stdin (format csv);
