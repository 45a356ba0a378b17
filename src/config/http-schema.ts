import * as z from 'zod';
import { canonicalHost } from '../values/host-name.js';
import { file, host, milliseconds, text, textSuchAs, whole } from './setting-types.js';

/** Everybody is a trusted proxy: the port can be reached by the proxy only. */
export const anyProxy = '*';

/** `true`, or the addresses and networks of the proxies that end TLS. */
const proxies = z
  .preprocess(
    (value) =>
      value === true || value === 'true' ? [anyProxy] : value === false || value === 'false' ? [] : value,
    z.array(textSuchAs('the address of a proxy, such as 10.0.0.7, or a network, such as 10.0.0.0/8')),
  )
  .default([]);

/** Settings of `recon serve` (design 10). */
export const httpSchema = z.strictObject({
  host: host.default('127.0.0.1'),
  /** 0: any free port. */
  port: whole(0, 65_535).default(8080),
  environment: z.enum(['test', 'live']).default('test'),
  /** PEM files; the certificate's file also holds those of its issuers. */
  tls: z.strictObject({ certFile: file, keyFile: file }).optional(),
  /** A separate port for probes, which only supervisors reach. */
  adminPort: whole(0, 65_535).optional(),
  trustProxy: proxies,
  /** The address at which browsers reach the gateway, if a proxy has a different one. */
  publicUrl: z
    .url({ protocol: /^https?$/, error: 'must be an address such as https://pay.example.com' })
    .optional(),
  bodyLimitBytes: whole(1024, 64 * 1024 * 1024).default(1024 * 1024),
  requestTimeoutMs: milliseconds.default(30_000),
  /** By operation of the payment core, which checks the names; counted for each entity. */
  limits: z
    .record(text, z.strictObject({ requests: whole(0, 1_000_000_000), windowSeconds: whole(1, 86_400) }))
    .prefault({}),
  /** How often the status of one checkout may be read in a minute; 0: without a limit. */
  checkoutStatusPerMinute: whole(0, 6000).default(0),
});

/** The group `http`, with its defaults. */
export type HttpSettings = Readonly<z.output<typeof httpSchema>>;

/** Settings of the payment core that `recon serve` opens. */
export const paymentCoreSchema = z.strictObject({
  /** JSON: `{"current":"2026","keys":{"2026":"<64 hex digits>"},"lookup":"<64 hex digits>"}`. */
  keysFile: file.optional(),
});

const receiver = z
  .string()
  .refine(
    (name) => canonicalHost(name) !== undefined,
    'must be the name or the address of a host, such as localhost or 10.0.0.7, without port and path',
  );

/** Settings of webhooks, which `recon serve` delivers to. */
export const webhooksSchema = z.strictObject({
  /** Names of hosts that may have a private address, and may be reached without TLS. */
  allowHosts: z.array(receiver).default([]),
  /** For one attempt: name, connection, TLS and the status of the answer. */
  timeoutMs: milliseconds.default(30_000),
  /** PEM: authorities of receivers to trust, besides the public ones. */
  caFile: file.optional(),
});

/** The group `webhooks`, with its defaults: how notifications are delivered. */
export type WebhookSettings = Readonly<z.output<typeof webhooksSchema>>;
