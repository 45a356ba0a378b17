CREATE TABLE "delivery_keys" (
	"file_id" integer NOT NULL,
	"line" integer NOT NULL,
	"key" uuid NOT NULL,
	CONSTRAINT "delivery_keys_file_id_line_pk" PRIMARY KEY("file_id","line")
);
--> statement-breakpoint
DROP INDEX "uncounted_records_undecided";--> statement-breakpoint
CREATE INDEX "delivery_keys_key" ON "delivery_keys" USING btree ("key");--> statement-breakpoint
CREATE INDEX "uncounted_records_other" ON "uncounted_records" USING btree ("other_file_id","other_line") WHERE other_file_id is not null;--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "delivery_keys"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
