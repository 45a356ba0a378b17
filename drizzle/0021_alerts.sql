CREATE TABLE "alert_conditions" (
	"key" text COLLATE "C" PRIMARY KEY NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"message" text NOT NULL,
	"since" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alert_messages" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_messages_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"channel" text COLLATE "C" NOT NULL,
	"alert" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"sent_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "stages" jsonb;--> statement-breakpoint
CREATE INDEX "alert_messages_waiting" ON "alert_messages" USING btree ("channel","number") WHERE sent_at is null;