import type { ArchiveKeys } from '../archive/archive-keys.js';
import type { SourceSettings } from '../remote/source-settings.js';
import type { DeliveryTarget } from '../remote/target-settings.js';
import type { RetentionPolicy } from '../values/retention-policy.js';
import type { AlertSettings } from './alerts-schema.js';
import type { SettingPath } from './config-document.js';
import type { HttpSettings, WebhookSettings } from './http-schema.js';

/** The configuration of the program: complete, validated, frozen. It contains secrets; see `maskConfig`. */
export interface ReconConfig {
  /** The file that it was read from; null if there is none. */
  readonly file: string | null;
  /** `file:line:column` of a setting, for a problem that shows only when it is used; null if it is in no file. */
  readonly placeOf: (setting: SettingPath) => string | null;
  /** Absolute. */
  readonly dataDirectory: string;
  /** Null: the embedded database below `dataDirectory`. */
  readonly databaseUrl: string | null;
  readonly timezone: string;
  readonly settlementDueDays: number;
  readonly lookbackDays: number;
  /** A file of this size or more gets a separate table for its records. */
  readonly largeFileBytes: number;
  /** How many files are loaded at once; undefined: one for each core, and at most 4. */
  readonly intake: { readonly filesAtOnce?: number | undefined };
  /** Settings of `recon worker`; `leaseSeconds` also of a run that shares its files with workers. */
  readonly worker: {
    /** Undefined: one for each core, and at most 4. */
    readonly filesAtOnce?: number | undefined;
    readonly leaseSeconds: number;
    /** How long a file may still take when the worker stops. */
    readonly graceSeconds: number;
    /** Undefined: `recon worker` does not listen. 0: any free port. */
    readonly adminPort?: number | undefined;
    readonly adminHost: string;
  };
  readonly logLevel: string;
  readonly matching: {
    readonly attributes: { readonly enabled: boolean; readonly windowHours: number };
    readonly maxPaymentsPerKey: number;
    /** Hundredths by currency: a mismatch of at most this much has only the severity `info`. */
    readonly tolerance: ReadonlyMap<string, bigint>;
    /** The name of a brand in a file, and in payments. */
    readonly brandAliases: ReadonlyMap<string, string>;
  };
  readonly reports: {
    /** The permission bits of report files; folders get matching execute bits. */
    readonly fileMode: number;
    /** Between the cells of a report, and within its amounts. */
    readonly delimiter: ';' | ',';
    readonly decimalSeparator: '.' | ',';
    /** The places that every report is delivered to. */
    readonly deliverTo: readonly DeliveryTarget[];
  };
  /** Hundredths by currency: an accept of an item with more at risk waits for a second person. */
  readonly decisions: { readonly fourEyesAbove: ReadonlyMap<string, bigint> };
  readonly schedule: {
    readonly cron: string;
    readonly timezone: string;
    readonly catchUpDays: number;
    /** Undefined: `recon schedule` does not listen. 0: any free port. */
    readonly adminPort?: number | undefined;
    readonly adminHost: string;
  };
  /** The key that new files of the archive are encrypted with, and all keys that may read it. */
  readonly archive: ArchiveKeys;
  readonly retention: RetentionPolicy;
  /** The file that a one-shot run writes its metrics to, absolute; null for none. */
  readonly metrics: { readonly textfile: string | null };
  /** Who receives alerts, and above which thresholds. */
  readonly alerts: AlertSettings;
  /** Settings of `recon serve`. */
  readonly http: HttpSettings;
  /** The encryption keys of the payment core as JSON; null if there are none. */
  readonly paymentCore: { readonly keys: string | null };
  /** Settings of webhooks. */
  readonly webhooks: WebhookSettings;
  readonly sources: readonly SourceSettings[];
  /** Files that contain secrets, including the configuration if it contains a password. Absolute paths. */
  readonly secretFiles: readonly { readonly what: string; readonly file: string }[];
  /** Warnings for the operator about settings that are allowed but not recommended. */
  readonly warnings: readonly string[];
}
