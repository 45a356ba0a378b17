/**
 * The settings of `recon.config.yaml` as an object (docs/configuration.md). Every setting has a default; names,
 * bounds and messages are those of the file.
 */
export interface ReconSettings {
  /** Archive, reports and the embedded database; relative to the current folder. Default `./recon-data`. */
  readonly dataDirectory?: string;
  /** A PostgreSQL server instead of the embedded one. */
  readonly databaseUrl?: string;
  readonly databaseUrlFile?: string;
  /** IANA name of the time zone for the day of a payment and for "today". Default UTC. */
  readonly timezone?: string;
  readonly settlementDueDays?: number;
  readonly lookbackDays?: number;
  readonly largeFileBytes?: number;
  /** How many files are loaded at once. Default: one for each core, and at most 4. */
  readonly intake?: { readonly filesAtOnce?: number };
  /** For `leaseSeconds`, a file belongs to a worker that is not heard from. Default 60. */
  readonly worker?: { readonly leaseSeconds?: number };
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly matching?: {
    readonly attributes?: { readonly enabled?: boolean; readonly windowHours?: number };
    /** A ShortId or ConnectorTxId that more payments have than this identifies none of them. Default 1000. */
    readonly maxPaymentsPerKey?: number;
    /** By currency, such as `{ EUR: '0.01' }`: an AMOUNT_MISMATCH of at most this much is `info`. Default none. */
    readonly tolerance?: Readonly<Record<string, string | number>>;
    /** The name of a brand in a file, and in payments, such as `{ VISADEBIT: 'VISA' }`. Default none. */
    readonly brandAliases?: Readonly<Record<string, string>>;
  };
  readonly reports?: {
    /** Permission bits of report files, octal: '0600' (default), '0640', '0660', '0644', '0664'. */
    readonly fileMode?: string;
    /** Between the cells of CSV reports. Default `;`. */
    readonly delimiter?: ';' | ',';
    /** In the amounts of CSV reports. Default `.`. */
    readonly decimalSeparator?: '.' | ',';
    /** Where every report is delivered to. Default none. */
    readonly deliverTo?: readonly DeliveryTargetSetting[];
  };
  /** How long data is kept; what has no value is kept forever. */
  readonly retention?: {
    readonly archiveDays?: number;
    readonly reportsDays?: number;
    readonly recordsMonths?: number;
    readonly rejectedRowsDays?: number;
    readonly auditDays?: number;
    readonly eventsDays?: number;
    readonly checkoutsDays?: number;
    readonly jobsDays?: number;
    readonly registrationsDays?: number;
    /** `run` also removes what is older, once it is completed. Default false. */
    readonly afterRun?: boolean;
  };
  /** Encryption of the archive: the name of the key for new files, and the file with all keys. Default none. */
  readonly archive?: { readonly encryptWith?: string; readonly keysFile?: string };
  /**
   * By currency, such as `{ EUR: '1000.00' }`: an accept of an item with more at risk waits for a second person.
   * Default none.
   */
  readonly decisions?: { readonly fourEyesAbove?: Readonly<Record<string, string | number>> };
  /** Used by `recon schedule` only. */
  readonly schedule?: { readonly cron?: string; readonly timezone?: string; readonly catchUpDays?: number };
  /** Where files come from. */
  readonly sources?: readonly SourceSetting[];
}

/** A folder, or a folder on an SFTP server, that every report is delivered to; it must exist. */
export type DeliveryTargetSetting =
  | {
      readonly name: string;
      readonly protocol: 'local';
      readonly folder: string;
      /** Tries per run, with growing pauses. Default 4. */
      readonly attempts?: number;
    }
  | (Omit<SftpSourceSetting, keyof AnySource | 'downloadsAtOnce'> & {
      readonly name: string;
      readonly folder: string;
    });

/** One source, with the settings that docs/configuration.md lists for its protocol. */
export type SourceSetting = LocalSourceSetting | SftpSourceSetting | FtpsSourceSetting | FtpSourceSetting;

interface AnySource {
  /** Letters, digits, hyphen and underscore; appears in reports. */
  readonly name: string;
  readonly filePattern?: string;
  readonly minimumAgeSeconds?: number;
  readonly maximumSizeBytes?: number;
  /** Limits for gzip and ZIP files: how many times their own size, and how many files. Default 200 and 100. */
  readonly unpack?: { readonly maximumRatio?: number; readonly maximumFiles?: number };
  /** Keys for files that the sender encrypts (docs/configuration.md, "Encrypted files"). Default none. */
  readonly openpgp?: {
    readonly privateKey?: string;
    readonly privateKeyFile?: string;
    readonly passphrase?: string;
    readonly passphraseFile?: string;
    readonly senderKeyFile?: string;
    readonly required?: boolean;
  };
  readonly maximumEntries?: number;
  readonly maxRejectedShare?: number;
  readonly corrections?: 'ask' | 'replace' | 'add';
  /** What must arrive, and until when; a list where several kinds of files are expected. Default none. */
  readonly expected?: ExpectedSetting | readonly ExpectedSetting[];
  /** The file in which the sender announces the totals of a settlement file, such as `{name}.totals`. Default none. */
  readonly totals?: { readonly sidecar: string; readonly required?: boolean; readonly waitHours?: number };
  readonly timezone?: string;
  readonly afterSuccess?:
    { readonly action: 'none' | 'delete' } | { readonly action: 'move'; readonly folder: string };
}

/** What must arrive from a source (docs/configuration.md, "Expected deliveries"). */
export interface ExpectedSetting {
  /** `daily`, `weekdays`, or a cron expression of which the days count. */
  readonly days: string;
  /** `HH:mm`. */
  readonly deadline: string;
  readonly timezone?: string;
  readonly lagDays?: number;
  readonly files?: number;
  readonly filePattern?: string;
  /** `TARGET2`, dates, or a file with a date per line. */
  readonly holidays?: string | readonly string[];
  /** A regular expression whose one group is the running number in the name. */
  readonly sequence?: string;
  readonly rows?: { readonly min?: number; readonly max?: number };
}

interface NetworkSource extends AnySource {
  readonly host: string;
  readonly port?: number;
  readonly folder?: string;
  readonly username: string;
  readonly password?: string;
  readonly passwordFile?: string;
  readonly connectTimeoutMs?: number;
  readonly stallTimeoutMs?: number;
  readonly fileTimeoutMs?: number;
  readonly attempts?: number;
  /** How many files are downloaded at once, each over its own session. Default 4. */
  readonly downloadsAtOnce?: number;
}

/** A source in a folder of this machine. */
export interface LocalSourceSetting extends AnySource {
  readonly protocol: 'local';
  readonly folder: string;
}

/** A source on an SFTP server. */
export interface SftpSourceSetting extends NetworkSource {
  readonly protocol: 'sftp';
  readonly privateKeyFile?: string;
  readonly passphrase?: string;
  readonly passphraseFile?: string;
  /** Fingerprints `SHA256:…`; this or `knownHostsFile` is required. */
  readonly hostKeys?: readonly string[];
  readonly knownHostsFile?: string;
  /** Accepts a host key that an old server signs only with SHA-1; every run warns. */
  readonly allowSha1HostKeys?: boolean;
}

/** A source on an FTP server with TLS. */
export interface FtpsSourceSetting extends NetworkSource {
  readonly protocol: 'ftps';
  readonly tls?: 'explicit' | 'implicit';
  readonly caFile?: string;
  readonly serverName?: string;
  readonly allowSeparateTransferHost?: boolean;
}

/** A source on an FTP server without encryption. */
export interface FtpSourceSetting extends NetworkSource {
  readonly protocol: 'ftp';
  /** Must be true: the password is sent without encryption. */
  readonly allowInsecure?: boolean;
  readonly allowSeparateTransferHost?: boolean;
}
