import { z } from 'zod';
import { sourceDefaults } from '../intake/remote/source-settings.js';

const timezone = z
  .string()
  .refine(isTimezone, 'is not a time zone of the IANA database, for example Europe/Berlin');

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const seconds = z.int().min(0).max(86_400);
const milliseconds = z.int().min(100).max(86_400_000);
const text = z.string().min(1);

const common = {
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be letters, digits, hyphen and underscore'),
  folder: text.default('.'),
  filePattern: text.default(sourceDefaults.filePattern),
  minimumAgeSeconds: seconds.default(sourceDefaults.minimumAgeSeconds),
  maximumSizeBytes: z.int().min(1).default(sourceDefaults.maximumSizeBytes),
  maximumEntries: z.int().min(1).max(1_000_000).default(sourceDefaults.maximumEntries),
  maxRejectedShare: z.number().min(0).max(1).default(sourceDefaults.maxRejectedShare),
  timezone: timezone.optional(),
  afterSuccess: z
    .discriminatedUnion('action', [
      z.strictObject({ action: z.literal('none') }),
      z.strictObject({ action: z.literal('delete') }),
      z.strictObject({ action: z.literal('move'), folder: text }),
    ])
    .default(sourceDefaults.afterSuccess),
};

const network = {
  host: text,
  username: text,
  password: text.optional(),
  passwordFile: text.optional(),
  connectTimeoutMs: milliseconds.default(sourceDefaults.connectTimeoutMs),
  stallTimeoutMs: milliseconds.default(sourceDefaults.stallTimeoutMs),
  fileTimeoutMs: milliseconds.default(sourceDefaults.fileTimeoutMs),
  attempts: z.int().min(1).max(10).default(sourceDefaults.attempts),
};

const port = z.int().min(1).max(65_535);
const ftpNetwork = {
  ...network,
  allowSeparateTransferHost: z.boolean().default(false),
};

const source = z.discriminatedUnion('protocol', [
  z.strictObject({ protocol: z.literal('local'), ...common }),
  z.strictObject({
    protocol: z.literal('sftp'),
    ...common,
    ...network,
    port: port.default(22),
    privateKeyFile: text.optional(),
    passphrase: text.optional(),
    passphraseFile: text.optional(),
    hostKeys: z
      .array(z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'must be a fingerprint such as SHA256:…'))
      .default([]),
    knownHostsFile: text.optional(),
  }),
  z.strictObject({
    protocol: z.literal('ftps'),
    ...common,
    ...ftpNetwork,
    port: port.optional(),
    tls: z.enum(['explicit', 'implicit']).default('explicit'),
    caFile: text.optional(),
    serverName: text.optional(),
  }),
  z.strictObject({
    protocol: z.literal('ftp'),
    ...common,
    ...ftpNetwork,
    port: port.default(21),
    allowInsecure: z.boolean().default(false),
  }),
]);

export type ConfiguredSource = z.infer<typeof source>;

/** The configuration file as written, every setting with its default. */
export const configSchema = z.strictObject({
  dataDirectory: text.default('./recon-data'),
  databaseUrl: text.optional(),
  databaseUrlFile: text.optional(),
  timezone: timezone.default('UTC'),
  settlementDueDays: z.int().min(0).max(365).default(5),
  lookbackDays: z.int().min(1).max(3650).default(60),
  logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  matching: z
    .strictObject({
      attributes: z
        .strictObject({
          enabled: z.boolean().default(true),
          windowHours: z
            .int()
            .min(0)
            .max(24 * 31)
            .default(24),
        })
        .prefault({}),
    })
    .prefault({}),
  schedule: z
    .strictObject({
      cron: text.default('30 5 * * *'),
      timezone: timezone.optional(),
      catchUpDays: z.int().min(0).max(60).default(7),
    })
    .prefault({}),
  sources: z.array(source).default([]),
});

export type ConfigFile = z.infer<typeof configSchema>;
