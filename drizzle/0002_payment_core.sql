CREATE TABLE "checkouts" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"environment" text COLLATE "C" NOT NULL,
	"entity_id" text COLLATE "C",
	"parameters" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_runs" (
	"job_id" text COLLATE "C" NOT NULL,
	"fired_at" timestamp with time zone NOT NULL,
	"payment_id" text COLLATE "C",
	"result_code" text COLLATE "C" NOT NULL,
	CONSTRAINT "job_runs_job_id_fired_at_pk" PRIMARY KEY("job_id","fired_at")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"environment" text COLLATE "C" NOT NULL,
	"entity_id" text COLLATE "C",
	"registration_id" text COLLATE "C" NOT NULL,
	"name" text,
	"expression" text NOT NULL,
	"parameters" jsonb NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone,
	"next_run_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_details" (
	"payment_key" bigint PRIMARY KEY NOT NULL,
	"environment" text COLLATE "C" NOT NULL,
	"connector" text COLLATE "C" NOT NULL,
	"payment_method" text COLLATE "C",
	"parameters" jsonb NOT NULL,
	"answer" jsonb NOT NULL,
	"registration_id" text COLLATE "C",
	"registration_created" boolean DEFAULT false NOT NULL,
	"checkout_id" text COLLATE "C",
	"industry_practice" text COLLATE "C",
	"number_of_captures" integer,
	"sequence" text COLLATE "C",
	"card_bin" text COLLATE "C",
	"card_last4" text COLLATE "C",
	"account_sealed" text,
	"account_key_id" text COLLATE "C",
	"account_hash" text COLLATE "C",
	"ndc" text COLLATE "C" NOT NULL,
	"responded_at" timestamp with time zone NOT NULL,
	CONSTRAINT "payment_details_captures" CHECK (number_of_captures between 1 and 98),
	CONSTRAINT "payment_details_sealed" CHECK ((account_sealed is null) = (account_key_id is null))
);
--> statement-breakpoint
CREATE TABLE "payment_events" (
	"sequence" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "payment_events_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"type" text COLLATE "C" NOT NULL,
	"action" text COLLATE "C" NOT NULL,
	"resource_id" text COLLATE "C" NOT NULL,
	"payload" jsonb NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	"acknowledged_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "registrations" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"environment" text COLLATE "C" NOT NULL,
	"entity_id" text COLLATE "C",
	"payment_brand" text COLLATE "C",
	"payment_method" text COLLATE "C",
	"parameters" jsonb NOT NULL,
	"holder" text,
	"expiry_month" text COLLATE "C",
	"expiry_year" text COLLATE "C",
	"account_field" text COLLATE "C" NOT NULL,
	"account_bin" text COLLATE "C",
	"account_last4" text COLLATE "C",
	"account_sealed" text,
	"account_key_id" text COLLATE "C",
	"account_hash" text COLLATE "C",
	"initial_transaction_id" text COLLATE "C",
	"ndc" text COLLATE "C" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"deleted_at" timestamp with time zone,
	CONSTRAINT "registrations_sealed" CHECK ((account_sealed is null) = (account_key_id is null)),
	CONSTRAINT "registrations_deleted_are_empty" CHECK (deleted_at is null or account_sealed is null)
);
--> statement-breakpoint
CREATE TABLE "throttle_windows" (
	"environment" text COLLATE "C" NOT NULL,
	"operation" text COLLATE "C" NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"requests" integer NOT NULL,
	CONSTRAINT "throttle_windows_environment_operation_pk" PRIMARY KEY("environment","operation")
);
--> statement-breakpoint
ALTER TABLE "payment_details" ADD CONSTRAINT "payment_details_payment_key_payments_key_fk" FOREIGN KEY ("payment_key") REFERENCES "public"."payments"("key") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "jobs_due" ON "jobs" USING btree ("environment","next_run_at") WHERE next_run_at is not null;--> statement-breakpoint
CREATE INDEX "jobs_registration" ON "jobs" USING btree ("registration_id");--> statement-breakpoint
CREATE INDEX "payment_details_checkout" ON "payment_details" USING btree ("checkout_id") WHERE checkout_id is not null;--> statement-breakpoint
CREATE INDEX "payment_details_registration" ON "payment_details" USING btree ("registration_id") WHERE registration_id is not null;--> statement-breakpoint
CREATE INDEX "payment_details_account" ON "payment_details" USING btree ("account_hash") WHERE account_hash is not null;--> statement-breakpoint
CREATE INDEX "payment_details_key" ON "payment_details" USING btree ("account_key_id") WHERE account_key_id is not null;--> statement-breakpoint
CREATE INDEX "payment_events_open" ON "payment_events" USING btree ("sequence") WHERE acknowledged_at is null;--> statement-breakpoint
CREATE INDEX "payment_events_resource" ON "payment_events" USING btree ("resource_id");--> statement-breakpoint
CREATE INDEX "registrations_account" ON "registrations" USING btree ("account_hash") WHERE account_hash is not null;--> statement-breakpoint
CREATE INDEX "registrations_key" ON "registrations" USING btree ("account_key_id") WHERE account_key_id is not null;