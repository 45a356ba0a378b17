import { exampleSources } from './example-sources.js';

/**
 * What `recon init` writes. It works as it is, explains every setting, and shows each default: a test reads
 * it, with the commented sources too, and compares its keys with the schema.
 */
export const exampleConfig = `# Configuration of recon. Settings show their defaults; a setting that is left out has its default.
#
# \${NAME} in a value inserts an environment variable ($\${NAME} gives \${NAME}). Settings whose names end in File
# read a secret from that file. Relative paths refer to the folder of this file.
# Check it with: recon doctor

# The folder for archive, reports and the embedded database. RECON_DATA_DIR takes precedence.
dataDirectory: ./recon-data

# Your PostgreSQL server; without one the embedded database is used. RECON_DATABASE_URL takes precedence.
# databaseUrl: \${DATABASE_URL}
# databaseUrlFile: /run/secrets/recon-database-url

# The time zone for the day of a payment and for "today".
timezone: UTC

# How many days after its day a successful payment without a settlement is reported.
settlementDueDays: 5
# How many days back a run looks for such payments, and checks open records again.
lookbackDays: 60

# A file of this size or more gets a separate table for its records, which is faster to fill.
largeFileBytes: 33554432

# How many files are loaded at once, such as { filesAtOnce: 1 }. By default one for each core, and at most 4. The
# results are the same.
intake: {}

# \`recon worker\` on other machines downloads and loads files of the runs of this one, if all use one PostgreSQL server and
# one archive folder. filesAtOnce is for one worker, by default one for each core, and at most 4.
worker:
  # filesAtOnce: 2
  # If a worker is not heard from for this long, somebody else loads its file.
  leaseSeconds: 60
  # How long a file may still take when a worker is stopped; then it is handed back.
  graceSeconds: 10
  # A port for /livez, /readyz and /metrics; without one the worker does not listen. 0 takes any free port.
  # adminPort: 9466
  # adminHost: 127.0.0.1

# trace, debug, info, warn, error or silent. Logs go to standard error.
logLevel: info

matching:
  # The weakest key: same merchant account, amount, currency and last four digits, within this many hours.
  attributes:
    enabled: true
    windowHours: 24
  # A ShortId or ConnectorTxId that more payments have than this is a placeholder and identifies none of them.
  # Nor is one identified where more captures or refunds of a payment than this fit a record equally well.
  maxPaymentsPerKey: 1000
  # An AMOUNT_MISMATCH of at most this much has the severity info. It is still reported. By currency, such as
  # { EUR: 0.01 }; a currency that is not named has no tolerance.
  tolerance: {}
  # Other names of a brand: the name in the file, and the name in the payments that it stands for, such as
  # { VISADEBIT: VISA }. Used for BRAND_MISMATCH and by the weakest key.
  brandAliases: {}

# Who may read the reports. They contain rows as received, so the default is only the owner: '0640' lets the group
# read them, '0644' everybody. Folders get matching execute bits.
reports:
  fileMode: '0600'
  # How CSV reports are written, and sheets printed by \`recon items --csv\`. German and French spreadsheets expect ';'
  # and a decimal comma; English ones ',' and a dot. Not both a comma. Reconciled files are never changed.
  delimiter: ';'
  decimalSeparator: '.'
  # Where every report is delivered to after a run, whole: a folder, or a folder on an SFTP server. It must exist. Login,
  # host keys and timeouts of an SFTP server: as for an SFTP source. attempts is for one run; the next run tries again.
  deliverTo: []
  #   - { name: finance, protocol: local, folder: /mnt/finance/recon, attempts: 4 }
  #   - { name: auditor, protocol: sftp, host: sftp.example.com, username: recon, folder: /upload, … }

# Four eyes: an accept of a discrepancy with more money at risk than this waits for a second person. By currency, such
# as { EUR: 1000.00 }; in a currency that is not named nothing waits.
decisions:
  fourEyesAbove: {}

# Only for \`recon schedule\`; cron and systemd timers do not use it.
schedule:
  # Minute, hour, day of month, month, day of week; with six fields the first one is the second.
  cron: '30 5 * * *'
  # Time zone of the expression (default: the one above).
  timezone: UTC
  # For this many days back, runs that were missed while the machine was off are made up for.
  catchUpDays: 7
  # A port for /livez, /readyz and /metrics; without one the scheduler does not listen. 0 takes any free port.
  # adminPort: 9464
  adminHost: 127.0.0.1

# Who receives alerts, one for each change; see docs/alerts.md. Without a channel nothing is sent.
alerts:
  # email:
  #   host: mail.example.com
  #   # starttls (port 587), implicit (465), or none (25), with which no password is sent.
  #   tls: starttls
  #   port: 587
  #   caFile: /etc/recon/mail-ca.pem
  #   username: recon
  #   passwordFile: /run/secrets/mail-password
  #   from: recon@example.com
  #   to: [operations@example.com]
  #   # The page of the report is attached if it is no larger than this.
  #   attachReport: true
  #   maximumAttachmentBytes: 5242880
  # The secret is whsec_ and 24 to 64 bytes in base64; each alert is signed with it (Standard Webhooks).
  # webhook: { url: https://alerts.example.com/recon, secretFile: /run/secrets/alert-key }
  # A program and its arguments; it gets each alert as JSON on standard input.
  # command: [/usr/local/bin/page-operator, '--team', settlement]
  thresholds:
    # A run that finds more new items than this; without it their number is not a reason for an alert.
    # newItems: 100
    # More money at risk than this, in the new items of a run and in all items, such as { EUR: 10000.00 }.
    newAtRisk: {}
    openAtRisk: {}
  # A planned run of \`recon schedule\` is late when it has not begun after this time.
  overdueMinutes: 60

# How long data is kept. Without a number it is kept forever, and nothing is ever removed. What is open or waiting, and
# what is younger than lookbackDays and settlementDueDays together, always stays. \`recon purge --dry-run\` shows what goes.
retention:
  # The received bytes of settlement files. Days without them cannot be run again.
  # archiveDays: 400
  # Report folders.
  # reportsDays: 400
  # Settlement records, in whole months by the day on which their files were received.
  # recordsMonths: 36
  # The text of rows that were rejected.
  # rejectedRowsDays: 400
  # Events of the audit log. What is left is still proved by \`recon audit verify\`.
  # auditDays: 3650
  # Notifications of payments and registrations that were delivered.
  # eventsDays: 90
  # Checkouts that expired without a payment.
  # checkoutsDays: 90
  # Jobs that ended, and old due times of all jobs; their payments stay.
  # jobsDays: 800
  # Registrations that were deleted. Their account number goes at once.
  # registrationsDays: 800
  # Also remove it after each completed run; without this, only \`recon purge\` does.
  afterRun: false

# Metrics for Prometheus. \`recon schedule\` and \`recon serve\` have them on their admin ports.
metrics:
  # After a run or re-run, a file for node_exporter's textfile collector; its name ends in .prom.
  # textfile: /var/lib/node_exporter/textfile/recon.prom

# Only for \`recon serve\`, the gateway over HTTP.
http:
  host: 127.0.0.1
  # 0 takes any free port.
  port: 8080
  # test or live. Tokens, payments and queues of the two are separate.
  environment: test
  # The certificate, with those of its issuers, and its key (chmod 600), as PEM. They are read again when they change.
  # tls: { certFile: /etc/recon/gateway.pem, keyFile: /etc/recon/gateway-key.pem }
  # A separate port for /livez, /readyz and /metrics; without it they are on the port above.
  # adminPort: 9090
  # Without a certificate only this machine may connect, unless a proxy ends TLS: true, or a list of the addresses and
  # networks of the proxies.
  trustProxy: []
  # The address of the proxy, which browsers open; used for the page of the simulated bank, so only in test.
  # publicUrl: https://pay.example.com
  # A larger body is refused; a request that takes longer, a slow sender included, is ended.
  bodyLimitBytes: 1048576
  requestTimeoutMs: 30000
  # How often each entity may call an operation, such as { payments.create: { requests: 100, windowSeconds: 1 } }.
  limits: {}
  # How often the status of one checkout may be read in a minute; 0: without limit.
  checkoutStatusPerMinute: 0

# The receivers of notifications (\`recon webhooks add\`), which \`recon serve\` delivers to.
webhooks:
  # Names of hosts that may have a private address, and may be reached without TLS.
  allowHosts: []
  # For one attempt, until the status of the answer.
  timeoutMs: 30000
  # Authorities (PEM) of receivers to trust, besides the public ones.
  # caFile: /etc/recon/webhooks-ca.pem

# The keys that account numbers are encrypted with, as JSON: {"current": NAME, "keys": {NAME: KEY}, "lookup": KEY}, each
# KEY 64 hexadecimal digits. RECON_ENCRYPTION_KEYS takes precedence. In test, keys are made on first use.
paymentCore:
  # keysFile: /run/secrets/recon-keys.json

# The archive keeps every file as it was received. With a key, its files are encrypted (AES-256-GCM).
archive:
  # The name of the key for new files. Without it they are stored as they are; what is encrypted stays readable.
  # encryptWith: '2026'
  # All keys as JSON: {NAME: KEY}, each KEY 64 hexadecimal digits. RECON_ARCHIVE_KEYS takes precedence. Keep an old key
  # for as long as there are files that need it: recon doctor counts them.
  # keysFile: /run/secrets/recon-archive-keys.json

${exampleSources}`;
