DROP INDEX "payments_entity";--> statement-breakpoint
CREATE INDEX "payment_details_method" ON "payment_details" USING btree ("environment","payment_method","payment_key");--> statement-breakpoint
CREATE INDEX "payments_entity" ON "payments" USING btree ("entity_id","payment_type","key") WHERE entity_id is not null and key > 0;