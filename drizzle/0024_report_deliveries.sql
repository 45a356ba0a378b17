CREATE TABLE "report_deliveries" (
	"target" text COLLATE "C" NOT NULL,
	"folder" text COLLATE "C" NOT NULL,
	"sent" text[] NOT NULL,
	"requested_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"delivered_at" timestamp with time zone,
	CONSTRAINT "report_deliveries_target_folder_pk" PRIMARY KEY("target","folder")
);
--> statement-breakpoint
CREATE INDEX "report_deliveries_waiting" ON "report_deliveries" USING btree ("target","requested_at") WHERE delivered_at is null;