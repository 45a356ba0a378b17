-- The fence: a statement that writes a settlement table must run in a transaction that carries the current
-- token (`set local recon.fence = '<token>'`). It closes two holes with one mechanism: a driver that goes on
-- with a transaction on another connection (the setting is gone there), and a paused run that wakes up after
-- another has taken over (the token has changed). FOR SHARE makes a take-over wait for transactions under way
-- and those that come later see the new token.
INSERT INTO run_fence (singleton, token, run_id) VALUES (true, 0, NULL);
--> statement-breakpoint
ALTER TABLE run_fence ADD CONSTRAINT run_fence_one_row CHECK (singleton);
--> statement-breakpoint
CREATE FUNCTION require_fence() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  carried text := current_setting('recon.fence', true);
  current_token bigint;
BEGIN
  SELECT token INTO current_token FROM run_fence FOR SHARE;
  IF carried IS NULL OR carried = '' OR carried::bigint <> current_token THEN
    RAISE EXCEPTION 'write to % outside the current run', TG_TABLE_NAME
      USING ERRCODE = 'RF001', HINT = 'Only the run that holds the fence may write; start a new run.';
  END IF;
  RETURN NULL;
END;
$$;
--> statement-breakpoint
DO $$
DECLARE
  fenced text;
BEGIN
  FOREACH fenced IN ARRAY ARRAY[
    'settlement_files', 'settlement_records', 'already_known_rows', 'rejected_rows', 'record_matches',
    'match_candidates', 'chargeback_links', 'discrepancies', 'run_rechecks', 'remote_files'
  ] LOOP
    EXECUTE format(
      'CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I '
      'FOR EACH STATEMENT EXECUTE FUNCTION require_fence()', fenced);
  END LOOP;
END;
$$;
