import type { CalendarDate } from '../values/calendar-date.js';

/** What happens to a remote file once its records are stored. `none` leaves it where it is. */
export type AfterSuccess =
  | { readonly action: 'none' }
  | { readonly action: 'delete' }
  /** Moved to this folder on the same server; the folder is not created when it is missing. */
  | { readonly action: 'move'; readonly folder: string };

/** The sidecar file in which the sender of a settlement file announces its totals (design 4.10). */
export interface SidecarSettings {
  /** Its name: `{name}` stands for the name of the settlement file, `{base}` for that name without its extension. */
  readonly sidecar: string;
  /** A file without its sidecar waits for it; otherwise it is loaded without a comparison. */
  readonly required: boolean;
  /** A file that has waited this long counts as failed. */
  readonly waitHours: number;
}

/** What must arrive from a source (design 4.10). */
export interface Expectation {
  /**
   * The days that a delivery is expected for: `daily`, `weekdays`, or a cron expression of which only the days count.
   */
  readonly days: string;
  /** Days without a delivery. */
  readonly holidays: 'TARGET2' | ReadonlySet<CalendarDate>;
  /** A delivery is due this many delivery days after its own day. */
  readonly lagDays: number;
  /** `HH:mm` on the due day, in `timezone`. */
  readonly deadline: string;
  readonly timezone: string;
  /** How many files make up a delivery. */
  readonly files: number;
  /** Which files of the source belong to it; null for all. */
  readonly filePattern: string | null;
  /** Has one group, which matches the running number in a file's name. */
  readonly sequence: RegExp | null;
  /** Bounds for the rows of each file. */
  readonly rows: { readonly min: number; readonly max: number };
}

/** Limits for packed files (gzip, zip), beside `maximumSizeBytes`, which also holds for what is inside. */
export interface UnpackLimits {
  /** How many times its own size a packed file may unpack to. */
  readonly maximumRatio: number;
  readonly maximumFiles: number;
}

/** Keys for files that are encrypted with OpenPGP. */
export interface OpenPgpSettings {
  /** Armored; several, one after the other, while keys are exchanged. */
  readonly privateKey: string;
  readonly passphrase: string | null;
  /**
   * Armored public key of the sender: a file without its valid signature is refused. Null: signatures are not checked.
   */
  readonly senderKey: string | null;
  /** A file that is not encrypted is refused. */
  readonly required: boolean;
}

interface CommonSettings {
  readonly name: string;
  readonly folder: string;
  /** Glob over file names (`*` and `?`), for example `settlement-*.csv`. */
  readonly filePattern: string;
  /** A file younger than this, or one whose size changes between two checks, is deferred. */
  readonly minimumAgeSeconds: number;
  readonly maximumSizeBytes: number;
  readonly unpack: UnpackLimits;
  /** Null when the sender does not use OpenPGP. */
  readonly openpgp: OpenPgpSettings | null;
  /** More entries than this in one listing fail the source instead of filling the memory. */
  readonly maximumEntries: number;
  readonly maxRejectedShare: number;
  /**
   * What a later file that delivers a record with other cells does: `ask` a person, `replace` the former record, or
   * `add` to it.
   */
  readonly corrections: 'ask' | 'replace' | 'add';
  readonly expected: readonly Expectation[];
  /** Null when the sender announces no totals. */
  readonly totals: SidecarSettings | null;
  /** Zone of a TxRequestTime that carries no offset. */
  readonly timezone: string;
  readonly afterSuccess: AfterSuccess;
}

interface NetworkSettings {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string | null;
  readonly connectTimeoutMs: number;
  /** A transfer ends when no byte arrives for this long. */
  readonly stallTimeoutMs: number;
  /** A transfer of one file ends after this time. */
  readonly fileTimeoutMs: number;
  /** Tries per connection and per file, with back-off; authentication is never tried twice. */
  readonly attempts: number;
  /** How many files are downloaded at once, each over its own session. */
  readonly downloadsAtOnce: number;
}

/** A source in a folder of this machine. */
export interface LocalSource extends CommonSettings {
  readonly protocol: 'local';
}

/** A source on an SFTP server, with its secrets read. */
export interface SftpSource extends CommonSettings, NetworkSettings {
  readonly protocol: 'sftp';
  /** PEM or OpenSSH private key text. */
  readonly privateKey: string | null;
  readonly passphrase: string | null;
  /** Accepted host keys as `SHA256:…` fingerprints. */
  readonly hostKeys: readonly string[];
  readonly knownHostsFile: string | null;
  /** Accept an RSA host key that the server proves with SHA-1 (`ssh-rsa`), as only old servers do. */
  readonly allowSha1HostKeys: boolean;
}

/** What a login over SFTP takes, for a source and for a place that reports are delivered to. */
export type SftpLogin = Pick<
  SftpSource,
  | 'name'
  | 'host'
  | 'port'
  | 'username'
  | 'password'
  | 'privateKey'
  | 'passphrase'
  | 'hostKeys'
  | 'knownHostsFile'
  | 'allowSha1HostKeys'
  | 'connectTimeoutMs'
> & {
  /** What messages call it; not set for a source. */
  readonly kind?: 'delivery target';
};

/** A source on an FTP server, with or without TLS, with its secrets read. */
export interface FtpSource extends CommonSettings, NetworkSettings {
  readonly protocol: 'ftp' | 'ftps';
  /** `explicit` (AUTH TLS) or `implicit`; null for plain FTP. */
  readonly tls: 'explicit' | 'implicit' | null;
  /** PEM text of the authority to trust besides the system's. */
  readonly certificateAuthority: string | null;
  /** Name to verify in the certificate when it is not `host`. */
  readonly serverName: string | null;
  /** Plain FTP is refused unless this is true. */
  readonly allowInsecure: boolean;
  /** Accept a data connection to a host other than that of the control connection (FTP bounce); default false. */
  readonly allowSeparateTransferHost: boolean;
}

/** A source of any protocol, ready to be used: with defaults, absolute paths and secrets. */
export type SourceSettings = LocalSource | SftpSource | FtpSource;

/** What `totals` means where it names only the sidecar. */
export const sidecarDefaults = { required: true, waitHours: 24 } as const;

/** Settings every kind of source shares, with the defaults of the configuration. */
export const sourceDefaults = {
  filePattern: '*.csv',
  minimumAgeSeconds: 60,
  maximumSizeBytes: 8 * 1024 ** 3,
  unpack: { maximumRatio: 200, maximumFiles: 100 },
  openpgp: null,
  maximumEntries: 100_000,
  maxRejectedShare: 1,
  corrections: 'ask',
  totals: null,
  expected: [],
  timezone: 'UTC',
  afterSuccess: { action: 'none' },
  connectTimeoutMs: 20_000,
  stallTimeoutMs: 60_000,
  fileTimeoutMs: 30 * 60_000,
  attempts: 3,
  downloadsAtOnce: 4,
} as const;

/** How many files of a source are downloaded at once. Those of a folder are copied one after the other. */
export const downloadsAtOnce = (source: SourceSettings): number =>
  source.protocol === 'local' ? 1 : source.downloadsAtOnce;
