import * as z from 'zod';
import { privateFile } from '../disk/private-files.js';
import { alertsSchema } from './alerts-schema.js';
import { httpSchema, paymentCoreSchema, webhooksSchema } from './http-schema.js';
import {
  cron,
  file,
  folder,
  host,
  moneyByCurrency,
  text,
  textSuchAs,
  timezone,
  whole,
  yesOrNo,
} from './setting-types.js';

/**
 * Every setting of the configuration file with its default and its bounds; those of a source are in `source-schema.ts`.
 */

/**
 * Octal, as chmod reads it. YAML reads 0640 as the number 640, which means the same here. The owner can always read and
 * write; only the owner and the group may change a report.
 */
const fileMode = z
  .preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string())
  .refine(
    (value) => /^0?6[046][04]$/.test(value),
    "must be '0600' (only the owner), '0640' (the group may read), '0660' (the group may also write), '0644' or '0664' (everybody may read)",
  )
  .transform((value) => Number.parseInt(value, 8));

/** `{ VISADEBIT: VISA }`: the name in the file, and the name of the payment that it stands for. */
const brandAliases = z
  .record(text, text)
  .transform((aliases): ReadonlyMap<string, string> => new Map(Object.entries(aliases)));

/**
 * How reports are written. The delimiter must not be the decimal separator of the amounts, or nobody could read them.
 */
const reports = z
  .strictObject({
    fileMode: fileMode.default(privateFile),
    delimiter: z.enum([';', ',']).default(';'),
    decimalSeparator: z.enum(['.', ',']).default('.'),
    /** Checked one by one, see `targetSchemas` in `source-schema.ts`. */
    deliverTo: z.array(z.unknown()).default([]),
  })
  .refine(({ delimiter, decimalSeparator }) => delimiter !== decimalSeparator, {
    path: ['decimalSeparator'],
    message: "must differ from reports.delimiter; with a decimal comma the delimiter is ';'",
  });

/** How long data is kept; without a value it is kept forever. */
const retained = (most: number) =>
  whole(1, most)
    .optional()
    .transform((period) => period ?? null);
const retainedDays = retained(36_500);
const retention = z.strictObject({
  archiveDays: retainedDays,
  reportsDays: retainedDays,
  recordsMonths: retained(1200),
  rejectedRowsDays: retainedDays,
  auditDays: retainedDays,
  eventsDays: retainedDays,
  checkoutsDays: retainedDays,
  jobsDays: retainedDays,
  registrationsDays: retainedDays,
  afterRun: yesOrNo.default(false),
});

/** Encryption of the archive; the keys are completed in `complete-archive.ts`. */
const archive = z.strictObject({ encryptWith: text.optional(), keysFile: file.optional() });

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** Everything except the sources, which are checked one by one, so that one mistake does not hide another. */
export const settingsSchema = z.strictObject({
  dataDirectory: folder.default('./recon-data'),
  databaseUrl: textSuchAs('an address such as postgresql://recon@db.example/recon').optional(),
  databaseUrlFile: file.optional(),
  timezone: timezone.default('UTC'),
  settlementDueDays: whole(0, 365).default(5),
  lookbackDays: whole(1, 3650).default(60),
  largeFileBytes: whole(0, Number.MAX_SAFE_INTEGER).default(32 * 1024 * 1024),
  intake: z.strictObject({ filesAtOnce: whole(1, 64).optional() }).prefault({}),
  worker: z
    .strictObject({
      filesAtOnce: whole(1, 64).optional(),
      leaseSeconds: whole(1, 3600).default(60),
      graceSeconds: whole(0, 600).default(10),
      /** Probes and metrics of `recon worker`; without a port it does not listen. */
      adminPort: whole(0, 65_535).optional(),
      adminHost: host.default('127.0.0.1'),
    })
    .prefault({}),
  logLevel: z.enum(logLevels).default('info'),
  matching: z
    .strictObject({
      attributes: z
        .strictObject({ enabled: yesOrNo.default(true), windowHours: whole(0, 24 * 31).default(24) })
        .prefault({}),
      maxPaymentsPerKey: whole(1, 10_000).default(1000),
      tolerance: moneyByCurrency.prefault({}),
      brandAliases: brandAliases.prefault({}),
    })
    .prefault({}),
  decisions: z.strictObject({ fourEyesAbove: moneyByCurrency.prefault({}) }).prefault({}),
  schedule: z
    .strictObject({
      cron: cron.default('30 5 * * *'),
      timezone: timezone.optional(),
      catchUpDays: whole(0, 60).default(7),
      /** Probes and metrics of `recon schedule`; without a port it does not listen. */
      adminPort: whole(0, 65_535).optional(),
      adminHost: host.default('127.0.0.1'),
    })
    .prefault({}),
  reports: reports.prefault({}),
  alerts: alertsSchema.prefault({}),
  archive: archive.prefault({}),
  retention: retention.prefault({}),
  metrics: z.strictObject({ textfile: file.optional() }).prefault({}),
  http: httpSchema.prefault({}),
  paymentCore: paymentCoreSchema.prefault({}),
  webhooks: webhooksSchema.prefault({}),
  sources: z.array(z.unknown()).default([]),
});

/** The settings of a valid file, before secrets are read and paths are resolved. */
export type ConfiguredSettings = z.output<typeof settingsSchema>;
