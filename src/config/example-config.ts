/** What `recon init` writes: works as it is, and explains every setting. */
export const exampleConfig = `# Configuration of recon. Every setting has the default shown here; a setting that is missing keeps it.
# \${NAME} takes an environment variable. Settings that end in File read a secret from that file.
# Relative paths are meant from the folder of this file.

# Archive, reports and the embedded database live here. RECON_DATA_DIR wins over it.
dataDirectory: ./recon-data

# A PostgreSQL server of your own; without it the embedded one is used. RECON_DATABASE_URL wins over it.
# databaseUrl: \${RECON_DATABASE_URL}
# databaseUrlFile: /run/secrets/recon-database-url

# The zone in which a payment's moment becomes its day, and in which "today" is meant.
timezone: UTC

# A successful payment is told as MISSING_SETTLEMENT from this many days after its day …
settlementDueDays: 5
# … until this many days; records that are still open are looked at again for as long.
lookbackDays: 60

# trace, debug, info, warn, error or silent
logLevel: info

matching:
  # The weakest key: same account, amount, currency and last four digits, within so many hours.
  attributes:
    enabled: true
    windowHours: 24

# For \`recon schedule\`; cron and systemd timers need none of it.
schedule:
  cron: '30 5 * * *'
  timezone: UTC
  # Nights that were missed while the machine was off are caught up, at most so many.
  catchUpDays: 7

# Where settlement files come from. Any number; each has a name of its own.
sources:
  - name: inbox
    protocol: local
    folder: ./inbox
    # Which file names are taken: * is any text, ? any character.
    filePattern: '*.csv'
    # A file must have been quiet for so long; younger ones wait for a later run.
    minimumAgeSeconds: 60
    # Larger files are refused, and a folder with more entries than this is not read.
    maximumSizeBytes: 8589934592
    maximumEntries: 100000
    # A file with a larger share of rejected rows than this (0 to 1) is rejected as a whole.
    maxRejectedShare: 1
    # Zone of a TxRequestTime without an offset of its own; the zone above unless set.
    timezone: UTC
    # What happens to the file after its records are stored: none, delete, or move with a folder.
    afterSuccess:
      action: none

  # - name: acquirer
  #   protocol: sftp
  #   host: sftp.acquirer.example
  #   port: 22
  #   username: merchant
  #   # A password, or a private key (with chmod 600) and its passphrase.
  #   passwordFile: /run/secrets/acquirer-password
  #   # privateKeyFile: /etc/recon/id_ed25519
  #   # passphraseFile: /run/secrets/acquirer-passphrase
  #   # The server's key: its fingerprint, or a known_hosts file. It is never accepted blindly.
  #   hostKeys: ['SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']
  #   # knownHostsFile: /etc/recon/known_hosts
  #   folder: /outgoing
  #   filePattern: 'settlement-*.csv'
  #   afterSuccess:
  #     action: move
  #     folder: /outgoing/done
  #   # Waiting: for the connection, for the next byte, for one whole file; and how often to try.
  #   connectTimeoutMs: 20000
  #   stallTimeoutMs: 60000
  #   fileTimeoutMs: 1800000
  #   attempts: 3

  # - name: bank
  #   protocol: ftps
  #   host: ftps.bank.example
  #   # explicit (AUTH TLS, port 21) or implicit (port 990)
  #   tls: explicit
  #   username: merchant
  #   passwordFile: /run/secrets/bank-password
  #   # An authority to trust besides the system's, and the name in the certificate when it is not the host.
  #   # caFile: /etc/recon/bank-ca.pem
  #   # serverName: ftps.bank.example
  #   # Some servers behind address translation answer from another host.
  #   # allowSeparateTransferHost: false
  #   folder: /

  # - name: legacy
  #   protocol: ftp
  #   host: ftp.legacy.example
  #   username: merchant
  #   passwordFile: /run/secrets/legacy-password
  #   # Plain FTP sends the password in the clear, so it must be allowed.
  #   allowInsecure: true
`;
