DROP INDEX "payment_details_account";--> statement-breakpoint
DROP INDEX "registrations_account";--> statement-breakpoint
ALTER TABLE "payment_details" DROP COLUMN "account_hash";--> statement-breakpoint
ALTER TABLE "registrations" DROP COLUMN "account_hash";