CREATE TABLE "accept_checks" (
	"singleton" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"last_decision" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "discrepancies" ADD COLUMN "accepted_at_risk_minor" bigint;--> statement-breakpoint
ALTER TABLE "discrepancies" ADD COLUMN "accepted_currency" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "discrepancies" ADD COLUMN "is_settled" boolean GENERATED ALWAYS AS (resolved_run is not null or accepted_at_risk_minor is not null) STORED NOT NULL;--> statement-breakpoint
CREATE INDEX "discrepancies_unsettled" ON "discrepancies" USING btree ("first_seen_run") WHERE not is_settled;--> statement-breakpoint
CREATE INDEX "discrepancies_accepted" ON "discrepancies" USING btree ("first_seen_run","severity","accepted_currency","accepted_at_risk_minor") WHERE resolved_run is null and accepted_at_risk_minor is not null;--> statement-breakpoint
CREATE INDEX "payment_changes_of_money" ON "payment_changes" USING btree ("payment_id") WHERE column_name in ('Amount', 'Currency', 'PaymentType');--> statement-breakpoint
CREATE TRIGGER require_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "accept_checks"
FOR EACH STATEMENT EXECUTE FUNCTION require_fence();
