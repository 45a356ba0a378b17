CREATE TYPE "public"."decision_kind" AS ENUM('accept', 'wait', 'link', 'unlink', 'supersede', 'keep-both', 'assign', 'note', 'approve', 'undo');--> statement-breakpoint
CREATE TYPE "public"."decision_origin" AS ENUM('command', 'filter', 'sheet');--> statement-breakpoint
ALTER TYPE "public"."matched_by" ADD VALUE 'MANUAL' BEFORE 'UNIQUE_ID';--> statement-breakpoint
CREATE TABLE "decisions" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "decisions_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"item" text COLLATE "C" NOT NULL,
	"file_id" integer,
	"line" integer,
	"kind" "decision_kind" NOT NULL,
	"until" date,
	"payment_key" bigint,
	"assignee" text,
	"reason" text,
	"note" text,
	"needs_approval" boolean DEFAULT false NOT NULL,
	"refers_to" bigint,
	"basis" text COLLATE "C" NOT NULL,
	"author" text NOT NULL,
	"decided_on" date NOT NULL,
	"decided_at" timestamp with time zone NOT NULL,
	"origin" "decision_origin" NOT NULL,
	"origin_name" text,
	"origin_sha256" text COLLATE "C",
	"origin_line" integer
);
--> statement-breakpoint
CREATE INDEX "decisions_item" ON "decisions" USING btree ("item","number");--> statement-breakpoint
CREATE INDEX "decisions_matching" ON "decisions" USING btree ("file_id","line","number") WHERE kind in ('link', 'unlink', 'supersede', 'keep-both');--> statement-breakpoint
CREATE UNIQUE INDEX "decisions_undone" ON "decisions" USING btree ("refers_to") WHERE kind = 'undo';--> statement-breakpoint
-- A decision is taken back by another row, never by changing or deleting the first: who decided what, and when, stays.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% takes new rows only', TG_TABLE_NAME
    USING ERRCODE = 'RF002', HINT = 'Rows of this table are never changed or deleted.';
END;
$$;
--> statement-breakpoint
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON "decisions"
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
