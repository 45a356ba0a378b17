CREATE TABLE "applied_links" (
	"file_id" integer NOT NULL,
	"line" integer NOT NULL,
	"kind" "decision_kind" NOT NULL,
	"payment_key" bigint NOT NULL,
	CONSTRAINT "applied_links_file_id_line_payment_key_pk" PRIMARY KEY("file_id","line","payment_key")
);
--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "applied_links"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
