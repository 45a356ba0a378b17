CREATE TABLE "room_candidates" (
	"file_id" integer NOT NULL,
	"line" integer NOT NULL,
	"payment_key" bigint NOT NULL,
	"has_room" boolean NOT NULL,
	CONSTRAINT "room_candidates_file_id_line_payment_key_pk" PRIMARY KEY("file_id","line","payment_key")
);
--> statement-breakpoint
ALTER TABLE "record_matches" ADD COLUMN "matched_through" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "room_candidates_payment" ON "room_candidates" USING btree ("payment_key");
--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON room_candidates
  FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
--> statement-breakpoint
SELECT set_config('recon.fence', (SELECT token::text FROM run_fence), true);
--> statement-breakpoint
-- What was left to these records so far, without asking for room: it is asked when one of the payments is settled.
INSERT INTO room_candidates (file_id, line, payment_key, has_room)
SELECT c.file_id, c.line, c.payment_key, true FROM match_candidates c
JOIN settlement_records r ON r.file_id = c.file_id AND r.line = c.line
WHERE r.reconciliation_type = 'SETTLED';
--> statement-breakpoint
-- A finding about a payment as a whole had an id of the record that showed it, and so another id for each record that
-- became the last one. Now it has one of the payment: the open one of them stays, or the one that was seen first, with
-- the first run that saw any of them.
WITH ranked AS (
  SELECT d.id, left(encode(sha256(convert_to(d.code || ':' || p.id, 'UTF8')), 'hex'), 32) AS new_id,
    min(d.first_seen_run) OVER (PARTITION BY d.code, d.payment_key) AS first_seen_run,
    row_number() OVER (PARTITION BY d.code, d.payment_key
      ORDER BY d.resolved_run IS NOT NULL, d.first_seen_run, d.id) AS place
  FROM discrepancies d JOIN payments p ON p.key = d.payment_key
  WHERE d.code IN ('AMOUNT_MISMATCH', 'CHARGEBACK_EXCEEDS_PAYMENT')
), gone AS (
  DELETE FROM discrepancies d USING ranked WHERE d.id = ranked.id AND ranked.place > 1
)
UPDATE discrepancies d SET id = ranked.new_id, first_seen_run = ranked.first_seen_run
FROM ranked WHERE d.id = ranked.id AND ranked.place = 1;
