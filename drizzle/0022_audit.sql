CREATE TABLE "audit_checkpoints" (
	"through_number" bigint PRIMARY KEY NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_events" (
	"number" bigint PRIMARY KEY NOT NULL,
	"happened_at" timestamp with time zone NOT NULL,
	"author" text NOT NULL,
	"action" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"details" text NOT NULL,
	"previous_hash" text COLLATE "C" NOT NULL,
	"hash" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_head" (
	"singleton" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"number" bigint NOT NULL,
	"hash" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "reports_removed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "settlement_files" ADD COLUMN "archive_removed_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "audit_events_subject" ON "audit_events" USING btree ("subject","number");--> statement-breakpoint
CREATE INDEX "audit_events_configuration" ON "audit_events" USING btree ("number") WHERE action = 'configuration.changed';
--> statement-breakpoint
ALTER TABLE "audit_head" ADD CONSTRAINT "audit_head_one_row" CHECK (singleton);
--> statement-breakpoint
-- The row before the first has the hash of 64 zeros.
INSERT INTO "audit_head" (singleton, number, hash) VALUES (true, 0, repeat('0', 64));
--> statement-breakpoint
CREATE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON "audit_events"
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_checkpoints"
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER refuse_change BEFORE DELETE OR TRUNCATE ON "audit_head"
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- Retention may remove old events once a checkpoint keeps the hash from which the log continues. The checkpoint stays, and
-- an event says who removed them.
CREATE FUNCTION keep_audit_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.number > COALESCE((SELECT max(through_number) FROM audit_checkpoints), 0) THEN
    RAISE EXCEPTION '% takes new rows only', TG_TABLE_NAME
      USING ERRCODE = 'RF002', HINT = 'Only events that a checkpoint covers may be deleted.';
  END IF;
  RETURN OLD;
END;
$$;
--> statement-breakpoint
CREATE TRIGGER keep_audit_events BEFORE DELETE ON "audit_events"
FOR EACH ROW EXECUTE FUNCTION keep_audit_events();
