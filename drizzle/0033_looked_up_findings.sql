DROP INDEX "discrepancies_payment";--> statement-breakpoint
DROP INDEX "discrepancies_open";--> statement-breakpoint
DROP INDEX "discrepancies_record";--> statement-breakpoint
CREATE INDEX "discrepancies_looked_up" ON "discrepancies" USING btree ("payment_key") WHERE resolved_run is null and (file_id is null or code in ('MISSING_SETTLEMENT', 'DUPLICATE_SETTLEMENT', 'AMOUNT_MISMATCH', 'SETTLEMENT_FAILED', 'CHARGEBACK_EXCEEDS_PAYMENT', 'REVERSAL_WITHOUT_CHARGEBACK', 'TYPE_MISMATCH', 'PAYMENT_NOT_SUCCESSFUL'));--> statement-breakpoint
CREATE INDEX "discrepancies_record" ON "discrepancies" USING btree ("file_id","line") WHERE file_id is not null;