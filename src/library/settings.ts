/**
 * The settings of `recon.config.yaml` as an object (docs/configuration.md). Every setting has a default; names,
 * bounds and messages are those of the file.
 */
export interface ReconSettings {
  /** Archive, reports and the embedded database; relative to the current folder. Default `./recon-data`. */
  readonly dataDirectory?: string;
  /** A PostgreSQL server instead of the embedded one. */
  readonly databaseUrl?: string;
  /** A file that contains `databaseUrl`, so that its password is in no configuration. One of the two. */
  readonly databaseUrlFile?: string;
  /** IANA name of the time zone for the day of a payment and for "today". Default UTC. */
  readonly timezone?: string;
  /** How many days after its day a payment without a settlement is reported as missing. Default 5. */
  readonly settlementDueDays?: number;
  /** For how many days a missing settlement is reported, and open records are checked again. Default 60. */
  readonly lookbackDays?: number;
  /** A file of at least this size gets its own table for its records, while there are few. Default 32 MiB. */
  readonly largeFileBytes?: number;
  /** How many files are loaded at once. Default: one for each core, and at most 4. */
  readonly intake?: { readonly filesAtOnce?: number };
  /** After `leaseSeconds` without a report of its worker, a file is free for others. Default 60. */
  readonly worker?: { readonly leaseSeconds?: number };
  /** The lowest level that `log` receives. Default `info`. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** How records find their payments, and what is tolerated (design 4.4, 4.6). */
  readonly matching?: {
    /**
     * The weakest key: account, amount, currency, last four digits, and a time that differs by at most `windowHours`.
     * Default enabled, 24.
     */
    readonly attributes?: { readonly enabled?: boolean; readonly windowHours?: number };
    /** A ShortId or ConnectorTxId that more payments have than this identifies none of them. Default 1000. */
    readonly maxPaymentsPerKey?: number;
    /** By currency, such as `{ EUR: '0.01' }`: an AMOUNT_MISMATCH of at most this much is `info`. Default none. */
    readonly tolerance?: Readonly<Record<string, string | number>>;
    /** The name of a brand in a file, and in payments, such as `{ VISADEBIT: 'VISA' }`. Default none. */
    readonly brandAliases?: Readonly<Record<string, string>>;
  };
  /** How reports are written, and where they are sent (design 6). */
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
    /** Received bytes of settlement files, of their totals and of packed files. */
    readonly archiveDays?: number;
    /** Report folders. */
    readonly reportsDays?: number;
    /** Settlement records, in whole months by the day on which their files were received. */
    readonly recordsMonths?: number;
    /** The text of rejected rows. */
    readonly rejectedRowsDays?: number;
    /** Events of the audit log; what stays can still be verified. */
    readonly auditDays?: number;
    /** Notifications that were delivered or given up. */
    readonly eventsDays?: number;
    /** Checkouts that expired without a payment. */
    readonly checkoutsDays?: number;
    /** Jobs that ended, and old due times of all jobs; their payments stay. */
    readonly jobsDays?: number;
    /** Registrations that were deleted. */
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
  /** When `recon schedule` runs; nothing else uses it. Default `30 5 * * *` in `timezone`, and 7 days. */
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

/** The settings that sources of every protocol have. */
interface AnySource {
  /** Letters, digits, hyphen and underscore; appears in reports. */
  readonly name: string;
  /** Which files to take: `*` stands for any text, `?` for any character. Default `*.csv`. */
  readonly filePattern?: string;
  /** A younger file may still be written, and waits for a later run. Default 60. */
  readonly minimumAgeSeconds?: number;
  /** A larger file is refused, before and after unpacking. Default 8 GiB. */
  readonly maximumSizeBytes?: number;
  /** Limits for gzip and ZIP files: how many times their own size, and how many files. Default 200 and 100. */
  readonly unpack?: { readonly maximumRatio?: number; readonly maximumFiles?: number };
  /** Keys for files that the sender encrypts (docs/configuration.md, "Encrypted files"). Default none. */
  readonly openpgp?: {
    /** Armored, or the path of a file with it: one of the two. */
    readonly privateKey?: string;
    readonly privateKeyFile?: string;
    /** Of the private key, or the path of a file with it. */
    readonly passphrase?: string;
    readonly passphraseFile?: string;
    /** The armored public key of the sender. With it, a file without a valid signature is refused. */
    readonly senderKeyFile?: string;
    /** Whether a file that is not encrypted is refused. Default true. */
    readonly required?: boolean;
  };
  /** A folder with more entries is not read. Default 100,000. */
  readonly maximumEntries?: number;
  /** From 0 to 1: a file with a larger share of rejected rows is rejected as a whole. Default 1. */
  readonly maxRejectedShare?: number;
  /**
   * When a later file delivers a record again with other cells (design 4.8): `ask` reports it, `replace` lets the later
   * record replace the former, `add` counts both. Default `ask`.
   */
  readonly corrections?: 'ask' | 'replace' | 'add';
  /** What must arrive, and until when; a list where several kinds of files are expected. Default none. */
  readonly expected?: ExpectedSetting | readonly ExpectedSetting[];
  /** The file in which the sender announces the totals of a settlement file, such as `{name}.totals`. Default none. */
  readonly totals?: { readonly sidecar: string; readonly required?: boolean; readonly waitHours?: number };
  /** IANA name of the time zone of a TxRequestTime without an offset. Default: the general `timezone`. */
  readonly timezone?: string;
  /**
   * What happens to the file at the source once its records are stored. `folder` must exist, and is relative to the
   * folder of the source (for `local`, to the current folder). Default `none`.
   */
  readonly afterSuccess?:
    { readonly action: 'none' | 'delete' } | { readonly action: 'move'; readonly folder: string };
}

/** What must arrive from a source (docs/configuration.md, "Expected deliveries"). */
export interface ExpectedSetting {
  /** `daily`, `weekdays`, or a cron expression of which the days count. */
  readonly days: string;
  /** `HH:mm`. */
  readonly deadline: string;
  /** Of the deadline. Default: that of the source. */
  readonly timezone?: string;
  /** How many delivery days after the day that it is about a delivery is due. Default 1. */
  readonly lagDays?: number;
  /** How many files are delivered for a day. Default 1. */
  readonly files?: number;
  /** Which files of the source belong to this delivery. Default: all. */
  readonly filePattern?: string;
  /** `TARGET2`, dates, or a file with a date per line. */
  readonly holidays?: string | readonly string[];
  /** A regular expression whose one group is the running number in the name. */
  readonly sequence?: string;
  /** A file with fewer or more rows is reported, and loaded all the same. Default: no bounds. */
  readonly rows?: { readonly min?: number; readonly max?: number };
}

/** The settings of a source on a server. */
interface NetworkSource extends AnySource {
  readonly host: string;
  /** Default 22 (sftp), 21 (ftp, ftps with `explicit`) or 990 (ftps with `implicit`). */
  readonly port?: number;
  /** Default: the folder after the login. */
  readonly folder?: string;
  readonly username: string;
  /** Or the path of a file with it. For sftp, a private key can be used instead. */
  readonly password?: string;
  readonly passwordFile?: string;
  /** The longest wait for a connection. Default 20 seconds. */
  readonly connectTimeoutMs?: number;
  /** The longest wait for the next byte. Default 60 seconds. */
  readonly stallTimeoutMs?: number;
  /** The longest time for a whole file. Default 30 minutes. */
  readonly fileTimeoutMs?: number;
  /** Attempts per connection and file, with growing pauses. Default 3. */
  readonly attempts?: number;
  /** How many files are downloaded at once, each over its own session. Default 4. */
  readonly downloadsAtOnce?: number;
}

/** A source in a folder of this machine. */
export interface LocalSourceSetting extends AnySource {
  readonly protocol: 'local';
  /** Relative to the current folder. Its files are read, and stay unless `afterSuccess` says otherwise. */
  readonly folder: string;
}

/** A source on an SFTP server. */
export interface SftpSourceSetting extends NetworkSource {
  readonly protocol: 'sftp';
  /** A private key in the format of OpenSSH, readable only by its owner. */
  readonly privateKeyFile?: string;
  /** Of the private key, or the path of a file with it. */
  readonly passphrase?: string;
  /** A file that contains `passphrase`: one of the two. */
  readonly passphraseFile?: string;
  /** Fingerprints `SHA256:…`; this or `knownHostsFile` is required. */
  readonly hostKeys?: readonly string[];
  /** A file in the format of OpenSSH's known_hosts. */
  readonly knownHostsFile?: string;
  /** Accepts a host key that an old server signs only with SHA-1; every run warns. */
  readonly allowSha1HostKeys?: boolean;
}

/** A source on an FTP server with TLS. */
export interface FtpsSourceSetting extends NetworkSource {
  readonly protocol: 'ftps';
  /** `explicit` begins TLS with AUTH TLS, `implicit` with the connection. Default `explicit`. */
  readonly tls?: 'explicit' | 'implicit';
  /** An authority (PEM) to trust. Default: those of the system. */
  readonly caFile?: string;
  /** The name that the certificate must have. Default: `host`. */
  readonly serverName?: string;
  /** Accepts data connections to a host other than `host`. Default false. */
  readonly allowSeparateTransferHost?: boolean;
}

/** A source on an FTP server without encryption. */
export interface FtpSourceSetting extends NetworkSource {
  readonly protocol: 'ftp';
  /** Must be true: the password is sent without encryption. */
  readonly allowInsecure?: boolean;
  /** See {@link FtpsSourceSetting.allowSeparateTransferHost}. */
  readonly allowSeparateTransferHost?: boolean;
}
