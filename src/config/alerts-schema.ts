import * as z from 'zod';
import { canonicalHost, isLoopbackHost } from '../values/host-name.js';
import type { SettingPath } from './config-document.js';
import { file, host, moneyByCurrency, text, textSuchAs, whole, yesOrNo } from './setting-types.js';
import { groupOf, readTextFile, secretOf, type RawSettings, type Surrounding } from './read-secret.js';

const address = textSuchAs('an address such as finance@example.com');

const addresses = z
  .union([address, z.array(address).min(1)], { error: 'must be an address, or a list of addresses' })
  .transform((value) => (typeof value === 'string' ? [value] : value));

/** A name such as 127.example.com, or a user `localhost:1@…`, only looks like this machine. */
function isProtected(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(canonicalHost(hostname) ?? ''));
}

/** `fetch` refuses such an address. */
function hasNoLogin(address: string): boolean {
  const { username, password } = new URL(address);
  return username === '' && password === '';
}

const url = z
  .string()
  .refine(isProtected, {
    error: 'must begin with https://; http:// is possible only to this machine',
    abort: true,
  })
  .refine(
    hasNoLogin,
    'must not contain a user name or password; the signature of an alert shows who sent it',
  );

/** The program and its arguments; what an argument consists of is between them. */
const command = z
  .array(z.string().min(1))
  .min(1)
  .superRefine(([program = ''], context) => {
    if (program !== '' && program.trim() === '')
      context.addIssue({
        code: 'custom',
        path: [0],
        message: 'must not consist only of blanks; write the path of a program',
      });
  });

/** Who receives alerts when something goes wrong (design 11); without a channel nobody does, and nothing is stored. */
export const alertsSchema = z.strictObject({
  email: z
    .strictObject({
      host,
      /** 587, or 465 for implicit TLS, or 25 without TLS. */
      port: whole(1, 65_535).optional(),
      tls: z.enum(['starttls', 'implicit', 'none']).default('starttls'),
      caFile: file.optional(),
      username: text.optional(),
      password: text.optional(),
      passwordFile: file.optional(),
      from: address,
      to: addresses,
      attachReport: yesOrNo.default(true),
      maximumAttachmentBytes: whole(0, 100 * 1024 * 1024).default(5 * 1024 * 1024),
    })
    .optional(),
  webhook: z.strictObject({ url, secret: text.optional(), secretFile: file.optional() }).optional(),
  command: command.optional(),
  thresholds: z
    .strictObject({
      newItems: whole(0, 1_000_000_000).optional(),
      newAtRisk: moneyByCurrency.prefault({}),
      openAtRisk: moneyByCurrency.prefault({}),
    })
    .prefault({}),
  overdueMinutes: whole(1, 10_080).default(60),
});

/** `alerts.email`, with its secrets read. */
export interface EmailSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'implicit' | 'none';
  readonly certificateAuthority: string | null;
  readonly username: string | null;
  readonly password: string | null;
  readonly from: string;
  readonly to: readonly string[];
  readonly attachReport: boolean;
  readonly maximumAttachmentBytes: number;
}

/** `alerts.webhook`, with its secret read. */
export interface WebhookSettings {
  readonly url: string;
  /** `whsec_` and the key in base64. */
  readonly secret: string;
}

/** The alerts of the configuration, with their secrets. Money in hundredths by currency. */
export interface AlertSettings {
  readonly email: EmailSettings | null;
  readonly webhook: WebhookSettings | null;
  /** A program and its arguments. */
  readonly command: readonly string[] | null;
  readonly thresholds: {
    readonly newItems: number | null;
    readonly newAtRisk: ReadonlyMap<string, bigint>;
    readonly openAtRisk: ReadonlyMap<string, bigint>;
  };
  /** A planned run that did not begin is late after this time. */
  readonly overdueMinutes: number;
}

const ports = { starttls: 587, implicit: 465, none: 25 } as const;

/** The alerts with their secrets read, and checked together. */
export function completeAlerts(
  alerts: z.output<typeof alertsSchema>,
  raw: unknown,
  surrounding: Surrounding,
): AlertSettings {
  const { email, webhook, command, thresholds, overdueMinutes } = alerts;
  const at = ['alerts'] as const;
  return {
    email:
      email === undefined
        ? null
        : completeEmail(email, groupOf(groupOf(raw)['email']), [...at, 'email'], surrounding),
    webhook:
      webhook === undefined
        ? null
        : completeWebhook(webhook.url, groupOf(groupOf(raw)['webhook']), [...at, 'webhook'], surrounding),
    command: command ?? null,
    thresholds: { ...thresholds, newItems: thresholds.newItems ?? null },
    overdueMinutes,
  };
}

function completeEmail(
  email: NonNullable<z.output<typeof alertsSchema>['email']>,
  raw: RawSettings,
  at: SettingPath,
  surrounding: Surrounding,
): EmailSettings {
  const { host, tls, caFile, username, from, to, attachReport, maximumAttachmentBytes } = email;
  const password = secretOf(raw, 'password', at, surrounding);
  // If the file cannot be read, that is the problem, and it was reported.
  if (username !== undefined && password === null && raw['passwordFile'] === undefined) {
    surrounding.problem(at, 'a username needs passwordFile or password');
  }
  if (username !== undefined && tls === 'none') {
    surrounding.problem([...at, 'tls'], 'the password would be sent unencrypted; use starttls or implicit');
  }
  return {
    host,
    tls,
    from,
    to,
    attachReport,
    maximumAttachmentBytes,
    password,
    port: email.port ?? ports[tls],
    username: username ?? null,
    certificateAuthority: readTextFile(caFile, [...at, 'caFile'], surrounding),
  };
}

function completeWebhook(
  address: string,
  raw: RawSettings,
  at: SettingPath,
  surrounding: Surrounding,
): WebhookSettings {
  const secret = secretOf(raw, 'secret', at, surrounding);
  if (secret === null && raw['secretFile'] === undefined) {
    surrounding.problem(at, 'needs secretFile or secret, the key that every alert is signed with');
  } else if (secret !== null && !/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)) {
    surrounding.problem(at, 'the secret must be whsec_ and 24 to 64 bytes in base64');
  }
  return { url: address, secret: secret ?? '' };
}
