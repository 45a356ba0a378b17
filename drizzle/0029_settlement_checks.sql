CREATE TABLE "payments_to_check" (
	"payment_key" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settlement_checks" (
	"run_id" integer PRIMARY KEY NOT NULL,
	"as_of" date NOT NULL,
	"settings" text COLLATE "C" NOT NULL,
	"last_payment_key" bigint NOT NULL,
	"last_change" bigint NOT NULL,
	"oldest_transaction" bigint NOT NULL,
	"own_transaction" bigint NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "payments_to_check"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "settlement_checks"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
