import * as z from 'zod';
import { sidecarDefaults, sourceDefaults } from '../remote/source-settings.js';
import { targetDefaults } from '../remote/target-settings.js';
import { isCalendarDate } from '../values/calendar-date.js';
import {
  cron,
  file,
  folder,
  fromText,
  host,
  milliseconds,
  port,
  text,
  textSuchAs,
  timezone,
  whole,
  yesOrNo,
} from './setting-types.js';

/**
 * Every setting of a source and of a place that reports are delivered to, with its default and its bounds. Checks that
 * involve several settings (a password or a key) are in `complete-sources.ts`.
 */

/** A name that a sidecar can have on any server: `{name}.totals`, `{base}.ctl`, `totals-{name}`. */
const totals = z.strictObject({
  sidecar: z
    .string()
    .regex(
      /^(?=.*\{(?:name|base)\})(?:[\w.-]|\{name\}|\{base\}){1,200}$/,
      "must contain {name} or {base}, such as '{name}.totals', and otherwise only letters, digits, dots, hyphens and underscores",
    ),
  required: yesOrNo.default(sidecarDefaults.required),
  waitHours: whole(0, 24 * 31).default(sidecarDefaults.waitHours),
});

/** The whole text is tried with a name, and its group is the running number. */
const sequence = z.string().transform((text, context) => {
  try {
    const pattern = new RegExp(text);
    // With an empty alternative every text matches, and the match shows how many groups there are.
    if (new RegExp(`${text}|`).exec('')?.length === 2) return pattern;
    context.addIssue("needs exactly one group for the running number, such as '_(\\d+)\\.csv$'");
  } catch {
    context.addIssue('is not a regular expression');
  }
  return z.NEVER;
});

const filePattern = textSuchAs('a pattern of file names, such as settlement-*.csv').refine(
  (pattern) => !pattern.includes('/'),
  'is matched with file names, so it cannot contain a /',
);

/** One entry of `expected` (design 4.10). `holidays` may name a file, which `complete-expected.ts` reads. */
export const expectedSchema = z.strictObject({
  days: z.union([z.literal('daily'), z.literal('weekdays'), cron], {
    error: "must be daily, weekdays, or a cron expression of 5 fields, such as '0 0 1 * *'",
  }),
  deadline: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time from '00:00' to '23:59', in quotes"),
  timezone: timezone.optional(),
  lagDays: whole(0, 31).default(1),
  files: whole(1, 1000).default(1),
  filePattern: filePattern.optional(),
  holidays: z
    .union([file, z.array(z.string().refine(isCalendarDate, 'must be a date such as 2026-12-25'))], {
      error: 'must be TARGET2, a list of dates such as [2026-12-25], or a file with a date per line',
    })
    .default([]),
  sequence: sequence.optional(),
  rows: z
    .strictObject({
      min: whole(0, Number.MAX_SAFE_INTEGER).default(0),
      max: whole(0, Number.MAX_SAFE_INTEGER).default(Number.MAX_SAFE_INTEGER),
    })
    .refine(({ min, max }) => min <= max, 'min must not be greater than max')
    .prefault({}),
});

/** Completed in `complete-openpgp.ts`. */
const openpgp = z.strictObject({
  privateKey: text.optional(),
  privateKeyFile: file.optional(),
  passphrase: text.optional(),
  passphraseFile: file.optional(),
  senderKeyFile: file.optional(),
  required: yesOrNo.default(true),
});

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'must be 1 to 64 letters, digits, hyphens and underscores, the first a letter or a digit',
  );

const common = {
  name,
  filePattern: filePattern.default(sourceDefaults.filePattern),
  minimumAgeSeconds: whole(0, 86_400).default(sourceDefaults.minimumAgeSeconds),
  maximumSizeBytes: whole(1, Number.MAX_SAFE_INTEGER).default(sourceDefaults.maximumSizeBytes),
  unpack: z
    .strictObject({
      // Deflate itself reaches 1032.
      maximumRatio: whole(1, 1100).default(sourceDefaults.unpack.maximumRatio),
      maximumFiles: whole(1, 100_000).default(sourceDefaults.unpack.maximumFiles),
    })
    .prefault({}),
  openpgp: openpgp.optional(),
  maximumEntries: whole(1, 1_000_000).default(sourceDefaults.maximumEntries),
  maxRejectedShare: fromText(z.number().min(0).max(1)).default(sourceDefaults.maxRejectedShare),
  corrections: z.enum(['ask', 'replace', 'add']).default(sourceDefaults.corrections),
  totals: totals.optional(),
  /** One entry or a list of them; checked one by one. */
  expected: z.unknown().optional(),
  timezone: timezone.optional(),
  afterSuccess: z
    .discriminatedUnion('action', [
      z.strictObject({ action: z.literal('none') }),
      z.strictObject({ action: z.literal('delete') }),
      z.strictObject({ action: z.literal('move'), folder }),
    ])
    .default(sourceDefaults.afterSuccess),
};

/** The settings that a source has whatever its protocol, of an entry that may have others. */
export const commonSettings = z.looseObject(common);

const network = {
  host,
  folder: folder.default('.'),
  username: text,
  password: text.optional(),
  passwordFile: file.optional(),
  connectTimeoutMs: milliseconds.default(sourceDefaults.connectTimeoutMs),
  stallTimeoutMs: milliseconds.default(sourceDefaults.stallTimeoutMs),
  fileTimeoutMs: milliseconds.default(sourceDefaults.fileTimeoutMs),
  attempts: whole(1, 10).default(sourceDefaults.attempts),
};

const downloads = { downloadsAtOnce: whole(1, 32).default(sourceDefaults.downloadsAtOnce) };

const ftpNetwork = { ...network, ...downloads, allowSeparateTransferHost: yesOrNo.default(false) };

const fingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'must be a fingerprint as `ssh-keygen -lf` prints it: SHA256:…')
  .transform((value) => value.replace(/=$/, ''));

/** How a server proves itself and how we log in, beside a password. */
const sftpLogin = {
  port: port.default(22),
  privateKeyFile: file.optional(),
  passphrase: text.optional(),
  passphraseFile: file.optional(),
  hostKeys: z.array(fingerprint).default([]),
  knownHostsFile: file.optional(),
  allowSha1HostKeys: yesOrNo.default(false),
};

/** One schema per protocol, chosen by `protocol`. */
export const sourceSchemas = {
  local: z.strictObject({ protocol: z.literal('local'), ...common, folder }),
  sftp: z.strictObject({
    protocol: z.literal('sftp'),
    ...common,
    ...network,
    ...downloads,
    ...sftpLogin,
  }),
  ftps: z.strictObject({
    protocol: z.literal('ftps'),
    ...common,
    ...ftpNetwork,
    port: port.optional(),
    tls: z.enum(['explicit', 'implicit']).default('explicit'),
    caFile: file.optional(),
    serverName: host.optional(),
  }),
  ftp: z.strictObject({
    protocol: z.literal('ftp'),
    ...common,
    ...ftpNetwork,
    port: port.default(21),
    allowInsecure: yesOrNo.default(false),
  }),
};

const attempts = whole(1, 10).default(targetDefaults.attempts);

/** The places of `reports.deliverTo`, chosen by `protocol`. */
export const targetSchemas = {
  local: z.strictObject({ name, protocol: z.literal('local'), folder, attempts }),
  sftp: z.strictObject({
    name,
    protocol: z.literal('sftp'),
    ...network,
    ...sftpLogin,
    folder,
    attempts,
  }),
};

/** How a source is reached: the value of its setting `protocol`. */
export type Protocol = keyof typeof sourceSchemas;
/** The protocols in the order in which messages list them. */
export const protocols = Object.keys(sourceSchemas) as Protocol[];

/** A source of a valid file, before secrets are read and paths are resolved. */
export type ConfiguredSource = { [P in Protocol]: z.output<(typeof sourceSchemas)[P]> }[Protocol];
