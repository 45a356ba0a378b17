CREATE TYPE "public"."uncounted_reason" AS ENUM('WITHDRAWN', 'SUPERSEDED', 'REDELIVERED');--> statement-breakpoint
CREATE TYPE "public"."withdrawal_kind" AS ENUM('withdraw', 'restore');--> statement-breakpoint
CREATE TABLE "file_withdrawals" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "file_withdrawals_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"file_id" integer NOT NULL,
	"kind" "withdrawal_kind" NOT NULL,
	"reason" text NOT NULL,
	"author" text NOT NULL,
	"decided_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uncounted_records" (
	"file_id" integer NOT NULL,
	"line" integer NOT NULL,
	"reason" "uncounted_reason" NOT NULL,
	"other_file_id" integer,
	"other_line" integer,
	"run_id" integer NOT NULL,
	CONSTRAINT "uncounted_records_file_id_line_pk" PRIMARY KEY("file_id","line")
);
--> statement-breakpoint
CREATE TABLE "withdrawn_files" (
	"file_id" integer PRIMARY KEY NOT NULL,
	"run_id" integer NOT NULL
);
--> statement-breakpoint
DROP INDEX "chargeback_links_booking";--> statement-breakpoint
DROP INDEX "chargeback_links_one_per_kind";--> statement-breakpoint
ALTER TABLE "chargeback_links" ADD COLUMN "active" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "file_withdrawals_file" ON "file_withdrawals" USING btree ("file_id","number");--> statement-breakpoint
CREATE INDEX "uncounted_records_undecided" ON "uncounted_records" USING btree ("file_id","line") WHERE reason <> 'WITHDRAWN';--> statement-breakpoint
CREATE UNIQUE INDEX "chargeback_links_booking" ON "chargeback_links" USING btree ("booking_id") WHERE active;--> statement-breakpoint
CREATE UNIQUE INDEX "chargeback_links_one_per_kind" ON "chargeback_links" USING btree ("chargeback_id","kind") WHERE active;--> statement-breakpoint
-- Who withdrew what, and why, stays: a file is restored by another row.
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON "file_withdrawals"
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "withdrawn_files"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "uncounted_records"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
