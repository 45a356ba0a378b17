/** The folder of the one source, relative to the file. */
export const exampleInbox = './inbox';

/** The sources of the file that `recon init` writes: one that works, and a commented one for each other protocol. */
export const exampleSources = `# Where settlement files come from: any number of sources, each with a different name.
sources:
  - name: inbox
    protocol: local
    folder: ${exampleInbox}
    # Which files to take: * stands for any text, ? for any character.
    filePattern: '*.csv'
    # A file that was changed more recently than this waits for a later run, as it may still be growing.
    minimumAgeSeconds: 60
    # A larger file is refused; a folder with more entries than this is not read.
    maximumSizeBytes: 8589934592
    maximumEntries: 100000
    # A file that is packed as gzip or zip is recognised by its first bytes and unpacked ('*.csv*' takes a.csv and
    # a.csv.gz). Unpacked it may have at most maximumSizeBytes, this many times its own size, and this many files.
    unpack:
      maximumRatio: 200
      maximumFiles: 100
    # A file with a larger share of rejected rows than this (0 to 1) is rejected as a whole.
    maxRejectedShare: 1
    # A later file delivers a record again with other cells: ask (until somebody decides), replace the former record, or
    # add (count both, for a sender that splits a settlement under one id).
    corrections: ask
    # Time zone of a TxRequestTime without an offset (default: the one at the top).
    timezone: UTC
    # What happens to a file once its records are stored: none, delete, or move (with folder, which must exist).
    afterSuccess:
      action: none

  # - name: acquirer
  #   protocol: sftp
  #   host: sftp.acquirer.example
  #   port: 22
  #   username: merchant
  #   # A password (passwordFile, or password: \${NAME}), or a private key with chmod 600, or both.
  #   passwordFile: /run/secrets/acquirer-password
  #   privateKeyFile: /etc/recon/id_ed25519
  #   passphraseFile: /run/secrets/acquirer-passphrase
  #   # The host key of the server: a fingerprint or a known_hosts file. It is never accepted unchecked;
  #   # \`recon doctor --show-host-key acquirer\` shows the fingerprint to verify.
  #   hostKeys: ['SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']
  #   knownHostsFile: /etc/recon/known_hosts
  #   # Only for an old server that signs with SHA-1 (ssh-rsa), which can be forged.
  #   allowSha1HostKeys: false
  #   folder: /outgoing
  #   filePattern: 'settlement-*.csv'
  #   # Files that are encrypted with OpenPGP, which needs the npm package openpgp: the key that they are encrypted for
  #   # (chmod 600), and the public key of the sender, whose signature is then required. Plain files are refused unless
  #   # required is false.
  #   openpgp:
  #     privateKeyFile: /etc/recon/openpgp.asc
  #     passphraseFile: /run/secrets/openpgp-passphrase
  #     senderKeyFile: /etc/recon/acquirer.asc
  #     required: true
  #   # The sender announces the totals of each file in another file: {name} is the name of the settlement file, {base}
  #   # that name without its extension. A file that differs from them is rejected; one without totals waits.
  #   totals:
  #     sidecar: '{name}.totals'
  #     required: true
  #     waitHours: 24
  #   # What must arrive. The records of a day arrive on the next working day by 07:00; otherwise recon exits with code 8.
  #   # days: daily, weekdays or a cron expression; holidays: TARGET2, a list of dates, or a file with a date per line.
  #   expected:
  #     days: weekdays
  #     deadline: '07:00'
  #     timezone: Europe/Berlin
  #     lagDays: 1
  #     files: 1
  #     holidays: TARGET2
  #     # The running number in the name, to notice one that is skipped or repeated.
  #     sequence: '_(\\d+)\\.csv$'
  #     rows: { min: 1, max: 5000000 }
  #   afterSuccess:
  #     action: move
  #     folder: /outgoing/done
  #   # How long to wait for the connection, for the next byte, and for one whole file; and the number of attempts.
  #   connectTimeoutMs: 20000
  #   stallTimeoutMs: 60000
  #   fileTimeoutMs: 1800000
  #   attempts: 3
  #   # How many files are downloaded at once, each over its own session. A server that allows fewer is used with fewer.
  #   downloadsAtOnce: 4

  # - name: bank
  #   protocol: ftps
  #   host: ftps.bank.example
  #   # explicit: TLS after AUTH TLS (port 21); implicit: TLS from the first byte (port 990).
  #   tls: explicit
  #   port: 21
  #   username: merchant
  #   passwordFile: /run/secrets/bank-password
  #   # An additional authority to trust; the name in the certificate if it is not the host.
  #   caFile: /etc/recon/bank-ca.pem
  #   serverName: ftps.bank.example
  #   # Some servers behind address translation send their data from another host.
  #   allowSeparateTransferHost: false
  #   folder: /

  # - name: legacy
  #   protocol: ftp
  #   host: ftp.legacy.example
  #   port: 21
  #   username: merchant
  #   passwordFile: /run/secrets/legacy-password
  #   # Plain FTP sends the password and the files unencrypted, so it must be allowed explicitly.
  #   allowInsecure: true
  #   folder: /
`;
