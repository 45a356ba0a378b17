CREATE TABLE "removed_settlements" (
	"file_id" integer NOT NULL,
	"line" integer NOT NULL,
	"fingerprint" uuid NOT NULL,
	"occurrence" integer NOT NULL,
	"settlement_date" date NOT NULL,
	"settlement_tx_id" text COLLATE "C",
	"payment_type" text COLLATE "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"currency" text COLLATE "C" NOT NULL,
	CONSTRAINT "removed_settlements_file_id_line_pk" PRIMARY KEY("file_id","line")
);
--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "removed_settlements"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
