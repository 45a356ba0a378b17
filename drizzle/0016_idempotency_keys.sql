CREATE TABLE "idempotency_keys" (
	"environment" text COLLATE "C" NOT NULL,
	"entity_id" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"fingerprint" text COLLATE "C" NOT NULL,
	"resource" text COLLATE "C" NOT NULL,
	"resource_id" text COLLATE "C" NOT NULL,
	"answer" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_environment_entity_id_key_pk" PRIMARY KEY("environment","entity_id","key")
);
--> statement-breakpoint
ALTER TABLE "throttle_windows" DROP CONSTRAINT "throttle_windows_environment_operation_pk";
--> statement-breakpoint
ALTER TABLE "throttle_windows" ADD COLUMN "entity_id" text COLLATE "C" DEFAULT '' NOT NULL;
--> statement-breakpoint
ALTER TABLE "throttle_windows" ADD CONSTRAINT "throttle_windows_environment_operation_entity_id_pk" PRIMARY KEY("environment","operation","entity_id");
--> statement-breakpoint
ALTER TABLE "checkouts" ADD COLUMN "status_minute" timestamp with time zone;
--> statement-breakpoint
ALTER TABLE "checkouts" ADD COLUMN "status_reads" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");
