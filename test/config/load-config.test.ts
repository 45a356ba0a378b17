import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EnvironmentSettings } from '../../src/config/environment.js';
import { loadConfig } from '../../src/config/load-config.js';
import { maskConfig } from '../../src/config/mask-config.js';
import { ReconError } from '../../src/errors.js';
import { sourceDefaults } from '../../src/remote/source-settings.js';
import { folderForEachTest } from '../support/test-folder.js';

const folder = folderForEachTest();

const variables: Readonly<Record<string, string>> = {
  PORT: '2222',
  PASSWORD: '12345',
  EMPTY: '',
  TRUE: 'true',
  RECON_DATA_DIR2: 'data',
};

function environment(changes: Partial<EnvironmentSettings> = {}): EnvironmentSettings {
  return {
    databaseUrl: null,
    dataDirectory: null,
    configFile: null,
    encryptionKeys: null,
    archiveKeys: null,
    user: null,
    failAt: undefined,
    variable: (name) => variables[name],
    names: [],
    ...changes,
  };
}

function load(text: string, changes: Partial<EnvironmentSettings> = {}) {
  writeFileSync(path.join(folder.path, 'c.yaml'), text);
  return loadConfig('c.yaml', environment(changes), folder.path);
}

/** The problems of a configuration, one per line. */
function problemsOf(text: string, changes: Partial<EnvironmentSettings> = {}): string[] {
  try {
    load(text, changes);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ReconError)) throw thrown;
    expect(thrown.code).toBe('CONFIG_INVALID');
    return thrown.message.split('\n').slice(1);
  }
}

const hostKey = `'SHA256:${'A'.repeat(43)}'`;
const local = '  - { name: inbox, protocol: local, folder: inbox }';
const sftp = (more: string) =>
  `sources:\n  - name: acquirer\n    protocol: sftp\n    host: h\n    username: u\n${more}`;

const fileModes =
  "must be '0600' (only the owner), '0640' (the group may read), '0660' (the group may also write), '0644' or '0664' (everybody may read)";

describe('errors are reported with their place and in words', () => {
  const table: [name: string, text: string, problems: string[]][] = [
    [
      'a misspelt setting',
      'timezon: UTC\n',
      ['c.yaml:1:1 timezon: there is no such setting (did you mean timezone?)'],
    ],
    ['a setting that resembles none', 'colour: red\n', ['c.yaml:1:1 colour: there is no such setting']],
    [
      'a misspelt setting further down',
      'matching:\n  attributes:\n    windowHour: 3\n',
      ['c.yaml:3:5 matching.attributes.windowHour: there is no such setting (did you mean windowHours?)'],
    ],
    [
      'a number out of bounds',
      'settlementDueDays: -1\nlookbackDays: 9999\n',
      ['c.yaml:1:20 settlementDueDays: must be at least 0', 'c.yaml:2:15 lookbackDays: must be at most 3650'],
    ],
    [
      'a file mode that lets everybody write',
      "reports: { fileMode: '0666' }\n",
      [`c.yaml:1:22 reports.fileMode: ${fileModes}`],
    ],
    [
      'a file mode without the owner',
      "reports: { fileMode: '0440' }\n",
      [`c.yaml:1:22 reports.fileMode: ${fileModes}`],
    ],
    [
      'a file mode that YAML reads as the number 416',
      'reports: { fileMode: 0o640 }\n',
      [`c.yaml:1:22 reports.fileMode: ${fileModes}`],
    ],
    [
      'a decimal comma with a comma as delimiter',
      "reports: { delimiter: ',', decimalSeparator: ',' }\n",
      [
        "c.yaml:1:46 reports.decimalSeparator: must differ from reports.delimiter; with a decimal comma the delimiter is ';'",
      ],
    ],
    [
      'a delimiter that no spreadsheet expects',
      "reports: { delimiter: '|' }\n",
      ['c.yaml:1:23 reports.delimiter: must be ; or ,'],
    ],
    [
      'an amount with three decimals',
      'decisions: { fourEyesAbove: { EUR: 0.005 } }\n',
      [
        'c.yaml:1:36 decisions.fourEyesAbove.EUR: must be an amount such as 1000.00, with two decimals at most',
      ],
    ],
    [
      'an amount in a currency that does not exist',
      'decisions: { fourEyesAbove: { ERU: 1000.00 } }\n',
      ['c.yaml:1:31 decisions.fourEyesAbove.ERU: must be an ISO 4217 code in capitals, for example EUR'],
    ],
    [
      'tolerances with a name that is not a currency, below zero and with too many decimals',
      'matching:\n  tolerance:\n    eur: 0.01\n    USD: -0.01\n    GBP: 0.001\n',
      [
        'c.yaml:3:5 matching.tolerance.eur: must be an ISO 4217 code in capitals, for example EUR',
        'c.yaml:4:10 matching.tolerance.USD: must be an amount such as 1000.00, with two decimals at most',
        'c.yaml:5:10 matching.tolerance.GBP: must be an amount such as 1000.00, with two decimals at most',
      ],
    ],
    [
      'brand aliases that are not texts',
      'matching:\n  brandAliases: { A: 7, B: "", C: [VISA] }\n',
      [
        'c.yaml:2:22 matching.brandAliases.A: must be a text; write it in quotes',
        'c.yaml:2:28 matching.brandAliases.B: must not be empty; write a value, or leave the setting out where it is optional',
        'c.yaml:2:35 matching.brandAliases.C: must be a text; write it in quotes',
      ],
    ],
    [
      'an alias inside what it stands for',
      'matching: &again\n  brandAliases: *again\n',
      ['c.yaml:1:1 this is not valid YAML (aliases refer to each other too often)'],
    ],
    ['a fraction', 'lookbackDays: 1.5\n', ['c.yaml:1:15 lookbackDays: must be a whole number']],
    ['a text for a number', 'lookbackDays: soon\n', ['c.yaml:1:15 lookbackDays: must be a number']],
    [
      'a number for a text',
      'sources:\n  - { name: 7, protocol: local, folder: f }\n',
      ['c.yaml:2:13 sources.0.name: must be a text; write it in quotes'],
    ],
    [
      'a choice that does not exist',
      'logLevel: warning\n',
      ['c.yaml:1:11 logLevel: must be trace, debug, info, warn, error or silent (did you mean warn?)'],
    ],
    [
      'a time zone that does not exist',
      'timezone: Europe/Berln\n',
      ['c.yaml:1:11 timezone: is not a time zone of the IANA database, such as Europe/Berlin'],
    ],
    [
      'an offset for a time zone',
      "timezone: '+02:00'\n",
      ['c.yaml:1:11 timezone: is not a time zone of the IANA database, such as Europe/Berlin'],
    ],
    [
      'no cron expression',
      'schedule:\n  cron: 5 in the morning\n',
      [
        "c.yaml:2:9 schedule.cron: is not a cron expression of 5 fields (6 with seconds), such as '30 5 * * *'",
      ],
    ],
    [
      'a cron expression for a day that never comes',
      "schedule:\n  cron: '0 5 31 2 *'\n",
      ['c.yaml:2:9 schedule.cron: names a time that never occurs'],
    ],
    [
      'sources that are no list',
      'sources: inbox\n',
      ['c.yaml:1:10 sources: must be a list, with a hyphen before each entry'],
    ],
    [
      'a source that is no group',
      'sources:\n  - inbox\n',
      ['c.yaml:2:5 sources.0: must be a group of settings with name and protocol'],
    ],
    [
      'a source without protocol',
      'sources:\n  - name: a\n',
      ['c.yaml:2:5 sources.0.protocol: is missing; it must be local, sftp, ftps or ftp'],
    ],
    [
      'a protocol that does not exist',
      'sources:\n  - name: a\n    protocol: sfpt\n',
      [
        'c.yaml:2:5 sources.0.host: is missing',
        'c.yaml:2:5 sources.0.username: is missing',
        'c.yaml:2:5 sources.0: an sftp source needs passwordFile, password or privateKeyFile',
        expect.stringMatching(/^c\.yaml:2:5 sources\.0: an sftp source needs hostKeys or knownHostsFile/),
        'c.yaml:3:15 sources.0.protocol: must be local, sftp, ftps or ftp (did you mean sftp?)',
      ],
    ],
    [
      'a protocol like no other, and other mistakes',
      'sources:\n  - protocol: webdav\n    hots: h\n    maxRejectedShare: 5\n',
      [
        'c.yaml:2:5 sources.0.name: is missing',
        'c.yaml:2:15 sources.0.protocol: must be local, sftp, ftps or ftp',
        'c.yaml:3:5 sources.0.hots: there is no such setting (did you mean host?)',
        'c.yaml:4:23 sources.0.maxRejectedShare: must be at most 1',
      ],
    ],
    [
      'a source without name and folder',
      'sources:\n  - protocol: local\n',
      ['c.yaml:2:5 sources.0.name: is missing', 'c.yaml:2:5 sources.0.folder: is missing'],
    ],
    [
      'a name twice',
      `sources:\n${local}\n${local}\n`,
      ['c.yaml:3:13 sources.1.name: another source has this name already'],
    ],
    [
      'a name with blanks',
      'sources:\n  - { name: my inbox, protocol: local, folder: f }\n',
      [
        'c.yaml:2:13 sources.0.name: must be 1 to 64 letters, digits, hyphens and underscores, the first a letter or a digit',
      ],
    ],
    [
      'a name that looks like an option',
      'sources:\n  - { name: -inbox, protocol: local, folder: f }\n',
      [
        'c.yaml:2:13 sources.0.name: must be 1 to 64 letters, digits, hyphens and underscores, the first a letter or a digit',
      ],
    ],
    [
      'a host with a blank, as a variable may have',
      "sources:\n  - { name: a, protocol: sftp, host: 'sftp.example ', username: u, password: p, hostKeys: [x] }\n",
      [
        'c.yaml:2:38 sources.0.host: must not contain a blank',
        'c.yaml:2:92 sources.0.hostKeys.0: must be a fingerprint as `ssh-keygen -lf` prints it: SHA256:…',
      ],
    ],
    [
      'a port, a path or a pattern for a host',
      "webhooks: { allowHosts: ['[::1]', localhost., 'localhost:8090', 'http://h/', '*.example'] }\n",
      [2, 3, 4].map(
        (place) =>
          `c.yaml:1:${[47, 65, 78][place - 2] ?? 0} webhooks.allowHosts.${place}: must be the name or the address of a host, such as localhost or 10.0.0.7, without port and path`,
      ),
    ],
    [
      'an address without a protocol',
      'http: { publicUrl: pay.example.com }\n',
      ['c.yaml:1:20 http.publicUrl: must be an address such as https://pay.example.com'],
    ],
    [
      'a path for a pattern',
      "sources:\n  - { name: a, protocol: local, folder: f, filePattern: 'in/*.csv' }\n",
      ['c.yaml:2:57 sources.0.filePattern: is matched with file names, so it cannot contain a /'],
    ],
    [
      'a path for the pattern of an expected delivery',
      "sources:\n  - { name: a, protocol: local, folder: f,\n      expected: { days: daily, deadline: '07:00', filePattern: 'in/*.csv' } }\n",
      ['c.yaml:3:64 sources.0.expected.filePattern: is matched with file names, so it cannot contain a /'],
    ],
    ...['http://127.example.com/', 'http://localhost:80@example.com/', 'http://example.com/'].map(
      (url): [string, string, string[]] => [
        `alerts over plain HTTP to another machine, ${url}`,
        `alerts: { webhook: { url: '${url}', secret: '\${PASSWORD}' } }\n`,
        [
          'c.yaml:1:27 alerts.webhook.url: must begin with https://; http:// is possible only to this machine',
        ],
      ],
    ),
    [
      'alerts to an address with a login',
      "alerts: { webhook: { url: 'https://recon:secret@hooks.example/', secret: '${PASSWORD}' } }\n",
      [
        'c.yaml:1:27 alerts.webhook.url: must not contain a user name or password; the signature of an alert shows who sent it',
      ],
    ],
    [
      'a mail server with a login, but without a password',
      'alerts: { email: { host: h, username: u, from: a@b.example, to: [c@d.example] } }\n',
      ['c.yaml:1:18 alerts.email: a username needs passwordFile or password'],
    ],
    [
      'a mail server whose password file does not exist',
      'alerts: { email: { host: h, username: u, passwordFile: nowhere, from: a@b.example, to: [c@d.example] } }\n',
      ['c.yaml:1:56 alerts.email.passwordFile: the file that it names cannot be read: it does not exist'],
    ],
    [
      'a share above 1',
      'sources:\n  - { name: a, protocol: local, folder: f, maxRejectedShare: 5 }\n',
      ['c.yaml:2:62 sources.0.maxRejectedShare: must be at most 1'],
    ],
    [
      'an action that does not exist',
      'sources:\n  - { name: a, protocol: local, folder: f, afterSuccess: { action: remove } }\n',
      ['c.yaml:2:68 sources.0.afterSuccess.action: must be none, delete or move (did you mean move?)'],
    ],
    [
      'a move to nowhere',
      'sources:\n  - { name: a, protocol: local, folder: f, afterSuccess: { action: move } }\n',
      ['c.yaml:2:58 sources.0.afterSuccess.folder: is missing'],
    ],
    [
      'an action without its group',
      'sources:\n  - { name: a, protocol: local, folder: f, afterSuccess: delete }\n',
      ['c.yaml:2:58 sources.0.afterSuccess: must be a group of settings, each on a separate line'],
    ],
    [
      'an sftp source without key, password and host key',
      sftp(''),
      [
        'c.yaml:2:5 sources.0: an sftp source needs passwordFile, password or privateKeyFile',
        'c.yaml:2:5 sources.0: an sftp source needs hostKeys or knownHostsFile: a host key is never accepted unchecked; recon doctor --show-host-key acquirer shows the fingerprint to verify',
      ],
    ],
    [
      'no host keys in the list of them',
      sftp('    password: x\n    hostKeys: []\n'),
      [
        'c.yaml:2:5 sources.0: an sftp source needs hostKeys or knownHostsFile: a host key is never accepted unchecked; recon doctor --show-host-key acquirer shows the fingerprint to verify',
      ],
    ],
    [
      'an old fingerprint',
      sftp('    password: x\n    hostKeys: [16:27:ac:a5]\n'),
      ['c.yaml:7:16 sources.0.hostKeys.0: must be a fingerprint as `ssh-keygen -lf` prints it: SHA256:…'],
    ],
    [
      'a misspelt secret is asked for once',
      sftp(`    pasword: x\n    hostKeys: [${hostKey}]\n`),
      ['c.yaml:6:5 sources.0.pasword: there is no such setting (did you mean password?)'],
    ],
    [
      'a secret file that does not exist',
      sftp(`    passwordFile: nowhere\n    hostKeys: [${hostKey}]\n`),
      ['c.yaml:6:19 sources.0.passwordFile: the file that it names cannot be read: it does not exist'],
    ],
    [
      'a folder for a secret file',
      sftp(`    passwordFile: .\n    hostKeys: [${hostKey}]\n`),
      ['c.yaml:6:19 sources.0.passwordFile: the file . cannot be read: it is a folder'],
    ],
    [
      'a secret twice',
      'databaseUrl: postgresql:///a\ndatabaseUrlFile: nowhere\n',
      ['c.yaml:2:18 databaseUrlFile: databaseUrl and databaseUrlFile cannot both be set'],
    ],
    [
      'plain FTP',
      'sources:\n  - { name: a, protocol: ftp, host: h, username: u, password: p }\n',
      [
        'c.yaml:2:5 sources.0.allowInsecure: plain FTP sends the password and the files unencrypted; use ftps or sftp, or set allowInsecure: true',
      ],
    ],
    [
      'an ftps source without password',
      'sources:\n  - { name: a, protocol: ftps, host: h, username: u }\n',
      ['c.yaml:2:5 sources.0: an ftps source needs passwordFile or password'],
    ],
    [
      'a setting of another protocol',
      `sources:\n  - { name: a, protocol: local, folder: f, host: h }\n`,
      ['c.yaml:2:44 sources.0.host: there is no such setting'],
    ],
    [
      'a variable that is not set, reported once',
      'timezone: ${NOT_SET}\n',
      ['c.yaml:1:11 the environment variable NOT_SET is not set'],
    ],
    [
      'a variable with nothing in it',
      'dataDirectory: ${EMPTY}\n',
      ['c.yaml:1:16 dataDirectory: must not be empty; write the path of a folder'],
    ],
    ['a list for everything', '- a\n', ['c.yaml:1:1 must be a group of settings, each on a separate line']],
    [
      'a setting twice',
      'timezone: UTC\ntimezone: UTC\n',
      ['c.yaml:2:1 timezone: is already set in line 1; write it only once'],
    ],
    [
      'a group that was pasted below the one of recon init',
      'archive:\n  # encryptWith: a\nretention:\n  archiveDays: 400\narchive:\n  encryptWith: a\n',
      ['c.yaml:5:1 archive: is already a group in line 1; write its settings there'],
    ],
    [
      'a setting of a source twice, three times',
      'sources:\n  - name: a\n    folder: in\n    folder: in\n    folder: in\n',
      [
        'c.yaml:4:5 folder: is already set in line 3; write it only once',
        'c.yaml:5:5 folder: is already set in line 3; write it only once',
      ],
    ],
    [
      'an unquoted pattern',
      'sources:\n  - { name: a, protocol: local, folder: f, filePattern: *.csv }\n',
      ['c.yaml:2:57 a value that begins with * must be written in quotes'],
    ],
    ['a tag', 'timezone: !secret x\n', ['c.yaml:1:11 a value that begins with ! must be written in quotes']],
    [
      'tabs',
      'matching:\n\tattributes: {}\n',
      ['c.yaml:2:1 the line begins with a tab: indent it with spaces'],
    ],
    [
      'an indentation between two levels',
      'sources:\n  - name: a\n    protocol: local\n   folder: in\n',
      [
        'c.yaml:4:1 the setting has no colon, its indentation is not that of its neighbours, or a closing quote or bracket is missing before it',
      ],
    ],
    [
      'a bracket that is not closed',
      'sources:\n  - { name: a, protocol: local, folder: in\nschedule: {}\n',
      [
        'c.yaml:3:1 the indentation does not fit, or a bracket before it is not closed: the settings of a group begin in the same column',
      ],
    ],
    [
      'a line that is indented too far',
      'sources:\n  - name: a\n    protocol: local\n      folder: in\n',
      [
        'c.yaml:3:15 the indentation does not fit, here or in the next line, or a value with a colon is not written in quotes',
      ],
    ],
    [
      'a value with a colon and a blank, without quotes',
      'sources:\n  - { name: a, protocol: sftp, host: h }\nlogLevel: a: b\n',
      [
        'c.yaml:3:11 the indentation does not fit, here or in the next line, or a value with a colon is not written in quotes',
      ],
    ],
    ...['@', '`', '%', '|', '>'].map((first): [string, string, string[]] => [
      `a password that begins with ${first}, without quotes`,
      `sources:\n  - { name: a, password: ${first}secret }\n`,
      ['c.yaml:2:26 a value that begins with @, `, %, | or > must be written in quotes'],
    ]),
    [
      'two documents',
      'timezone: UTC\n---\ntimezone: UTC\n',
      ['c.yaml:2:1 there may be only one document in the file'],
    ],
  ];

  test.each([
    ['UTF-16', Buffer.from('\ufefftimezone: UTC\n', 'utf16le'), 'UTF-16'],
    ['UTF-16 without a byte order mark', Buffer.from('timezone: UTC\n', 'utf16le'), 'UTF-16'],
    ['Windows-1252', Buffer.from('# für\n', 'latin1'), 'Windows-1252'],
  ])('a file in %s', (_name, bytes, encoding) => {
    writeFileSync(path.join(folder.path, 'c.yaml'), bytes);
    const reading = () => loadConfig('c.yaml', environment(), folder.path);
    expect(reading).toThrow(`is not UTF-8 text, but probably ${encoding}: save it as UTF-8.`);
  });

  test.each(table)('%s', (_name, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  const moving = (from: string, to: string) =>
    `folder: ${from}, afterSuccess: { action: move, folder: ${to} }`;
  const onServer = `protocol: sftp, host: h, username: u, password: p, hostKeys: [${hostKey}]`;

  test.each([
    ['protocol: local', 'in', './in/'],
    [onServer, '/out', '/out/x/..'],
    [onServer, 'out', '.'],
  ])('files are not moved to where they are: %s from %s to %s', (source, from, to) => {
    expect(problemsOf(`sources:\n  - { name: a, ${source}, ${moving(from, to)} }\n`)).toEqual([
      expect.stringMatching(
        /^c\.yaml:2:\d+ sources\.0\.afterSuccess\.folder: is the folder of the source, where each run would take the files again; name another one$/,
      ),
    ]);
  });

  test.each([
    ['protocol: local', 'in', 'in/done'],
    [onServer, '/out', 'out'],
    [onServer, 'out', '/out'],
    [onServer, 'out', '..'],
  ])('files may be moved to another folder: %s from %s to %s', (source, from, to) => {
    expect(problemsOf(`sources:\n  - { name: a, ${source}, ${moving(from, to)} }\n`)).toEqual([]);
  });

  test.each([
    ['Windows-1252', Buffer.from('stra\xdfe\n', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffsecret\n', 'utf16le')],
    ['UTF-16 without a mark', Buffer.from('secret\n', 'utf16le')],
  ])('a password in a file of %s is not sent with wrong letters', (_encoding, bytes) => {
    writeFileSync(path.join(folder.path, 'password'), bytes);
    expect(problemsOf(sftp(`    passwordFile: password\n    hostKeys: [${hostKey}]\n`))).toEqual([
      'c.yaml:6:19 sources.0.passwordFile: the file password is not UTF-8 text; save it as UTF-8',
    ]);
  });

  test('the remarks beside a certificate may have any encoding', () => {
    writeFileSync(
      path.join(folder.path, 'ca'),
      Buffer.from('M\xfcller\n-----BEGIN CERTIFICATE-----\n', 'latin1'),
    );
    expect(
      problemsOf(
        'sources:\n  - { name: a, protocol: ftps, host: h, username: u, password: p, caFile: ca }\n',
      ),
    ).toEqual([]);
  });

  test('are all reported together, in the order of the file', () => {
    const problems = problemsOf(
      `timezon: UTC
lookbackDays: 0
sources:
  - { name: a, protocol: local }
  - name: a
    protocol: sftp
    host: h
    username: \${NOBODY}
    prot: 22
    privateKeyFile: nowhere
`,
    );
    expect(problems).toEqual([
      'c.yaml:1:1 timezon: there is no such setting (did you mean timezone?)',
      'c.yaml:2:15 lookbackDays: must be at least 1',
      'c.yaml:4:5 sources.0.folder: is missing',
      'c.yaml:5:5 sources.1: an sftp source needs hostKeys or knownHostsFile: a host key is never accepted unchecked; recon doctor --show-host-key a shows the fingerprint to verify',
      'c.yaml:5:11 sources.1.name: another source has this name already',
      'c.yaml:8:15 the environment variable NOBODY is not set',
      'c.yaml:9:5 sources.1.prot: there is no such setting (did you mean port?)',
      'c.yaml:10:21 sources.1.privateKeyFile: the file that it names cannot be read: it does not exist',
    ]);
  });

  const blank = (instead: string) => `must not consist only of blanks; write ${instead}`;
  const aFile = blank('the path of a file');
  const aFolder = blank('the path of a folder');
  const aValue = blank('a value, or leave the setting out where it is optional');
  const aHost = blank('the name or the address of a host, such as sftp.example.com or 10.0.0.7');
  const aPattern = blank('a pattern of file names, such as settlement-*.csv');
  const anAddress = blank('an address such as finance@example.com');
  const addresses = 'must be an address, or a list of addresses';
  const aZone = 'is not a time zone of the IANA database, such as Europe/Berlin';
  const aCron = "is not a cron expression of 5 fields (6 with seconds), such as '30 5 * * *'";
  const aName = 'must be 1 to 64 letters, digits, hyphens and underscores, the first a letter or a digit';

  test.each<[group: string, settings: Record<string, string>]>([
    [
      '',
      {
        dataDirectory: aFolder,
        databaseUrl: blank('an address such as postgresql://recon@db.example/recon'),
        timezone: aZone,
        logLevel: 'must be trace, debug, info, warn, error or silent',
      },
    ],
    ['', { databaseUrlFile: aFile }],
    ['worker', { adminHost: aHost }],
    ['schedule', { cron: aCron, timezone: aZone, adminHost: aHost }],
    ['matching.brandAliases', { VISADEBIT: aValue }],
    ['archive', { encryptWith: aValue, keysFile: aFile }],
    ['metrics', { textfile: aFile }],
    ['http', { host: aHost, publicUrl: 'must be an address such as https://pay.example.com' }],
    ['http.tls', { certFile: aFile, keyFile: aFile }],
    ['paymentCore', { keysFile: aFile }],
    ['webhooks', { caFile: aFile }],
    [
      'alerts.email',
      { host: aHost, caFile: aFile, username: aValue, password: aValue, from: anAddress, to: addresses },
    ],
    [
      'alerts.webhook',
      { url: 'must begin with https://; http:// is possible only to this machine', secretFile: aFile },
    ],
  ])('only blanks, in %s', (group, settings) => {
    const groups = group === '' ? [] : group.split('.');
    const indented = groups.map((name, depth) => `${'  '.repeat(depth)}${name}:\n`);
    const indent = '  '.repeat(groups.length);
    const lines = Object.keys(settings).map((name) => `${indent}${name}: " \\t "\n`);
    expect(problemsOf([...indented, ...lines].join(''))).toEqual(
      Object.entries(settings).map(
        ([name, problem], index) =>
          `c.yaml:${groups.length + index + 1}:${indent.length + name.length + 3} ${[...groups, name].join('.')}: ${problem}`,
      ),
    );
  });

  test.each<[protocol: string, settings: Record<string, string>]>([
    ['local', { name: aName, folder: aFolder, filePattern: aPattern, timezone: aZone }],
    [
      'sftp',
      {
        host: aHost,
        folder: aFolder,
        username: aValue,
        passwordFile: aFile,
        privateKeyFile: aFile,
        passphrase: aValue,
        knownHostsFile: aFile,
      },
    ],
    ['ftps', { host: aHost, username: aValue, password: aValue, caFile: aFile, serverName: aHost }],
  ])('only blanks, in a source over %s', (protocol, settings) => {
    const name = 'name' in settings ? '' : 'name: a, ';
    const text = `sources:\n  - { ${name}protocol: ${protocol}, ${Object.keys(settings)
      .map((setting) => `${setting}: ' '`)
      .join(', ')} }\n`;
    const problems = problemsOf(text).map((problem) => problem.replace(/^c\.yaml:2:\d+ /, ''));
    // A folder is missing where this file has none.
    for (const [setting, problem] of Object.entries(settings))
      expect(problems).toContain(`sources.0.${setting}: ${problem}`);
    expect(problems).toHaveLength(Object.keys(settings).length);
  });

  test('only blanks, in lists and in groups of a source', () => {
    const text = `http: { trustProxy: [' '] }
webhooks: { allowHosts: [' '] }
alerts: { command: [' ', ' '], email: { host: h, from: a, to: [b, ' '] } }
sources:
  - name: a
    protocol: local
    folder: in
    afterSuccess: { action: move, folder: ' ' }
    openpgp: { privateKeyFile: ' ', senderKeyFile: ' ' }
    totals: { sidecar: ' ' }
    expected: { days: ' ', deadline: ' ', filePattern: ' ', holidays: ' ', sequence: ' ' }
reports:
  deliverTo: [{ name: b, protocol: local, folder: ' ' }]
`;
    expect(problemsOf(text)).toEqual([
      `c.yaml:1:22 http.trustProxy.0: ${blank('the address of a proxy, such as 10.0.0.7, or a network, such as 10.0.0.0/8')}`,
      'c.yaml:2:26 webhooks.allowHosts.0: must be the name or the address of a host, such as localhost or 10.0.0.7, without port and path',
      `c.yaml:3:21 alerts.command.0: ${blank('the path of a program')}`,
      `c.yaml:3:63 alerts.email.to: ${addresses}`,
      `c.yaml:8:43 sources.0.afterSuccess.folder: ${aFolder}`,
      `c.yaml:9:32 sources.0.openpgp.privateKeyFile: ${aFile}`,
      `c.yaml:9:52 sources.0.openpgp.senderKeyFile: ${aFile}`,
      "c.yaml:10:24 sources.0.totals.sidecar: must contain {name} or {base}, such as '{name}.totals', and otherwise only letters, digits, dots, hyphens and underscores",
      "c.yaml:11:23 sources.0.expected.days: must be daily, weekdays, or a cron expression of 5 fields, such as '0 0 1 * *'",
      "c.yaml:11:38 sources.0.expected.deadline: must be a time from '00:00' to '23:59', in quotes",
      `c.yaml:11:56 sources.0.expected.filePattern: ${aPattern}`,
      'c.yaml:11:71 sources.0.expected.holidays: must be TARGET2, a list of dates such as [2026-12-25], or a file with a date per line',
      "c.yaml:11:86 sources.0.expected.sequence: needs exactly one group for the running number, such as '_(\\d+)\\.csv$'",
      `c.yaml:13:51 reports.deliverTo.0.folder: ${aFolder}`,
    ]);
  });

  test('an argument of the alert command may be a blank', () => {
    expect(load("alerts: { command: [notify, ' '] }").alerts.command).toEqual(['notify', ' ']);
  });

  test('RECON_DATA_DIR with only blanks', () => {
    expect(problemsOf('lookbackDays: 0\n', { dataDirectory: '  ' })).toEqual([
      'the environment variable RECON_DATA_DIR must not consist only of blanks; write the path of a folder, or unset it',
      'c.yaml:1:15 lookbackDays: must be at least 1',
    ]);
  });

  test('no problem repeats a value: it may be a secret', () => {
    const secret = 's3cr3t-canary';
    const texts = [
      `databaseUrl: { a: ${secret} }`,
      `logLevel: ${secret}`,
      `sources: ${secret}`,
      `sources: [${secret}]`,
      `databaseUrl: *${secret}`,
      `databaseUrl: !${secret}`,
      `databaseUrl: "${secret}\\q"`,
      `databaseUrl: "${secret}`,
      `databaseUrl: a: ${secret}`,
      sftp(`    password: [${secret}]\n    hostKeys: [${secret}]\n`),
      sftp(`    password: ${secret}\n    passwordFile: x\n    port: ${secret}\n`),
    ];
    for (const text of texts) {
      const problems = problemsOf(text);
      expect(problems).not.toEqual([]);
      expect(problems.join('\n')).not.toContain(secret);
    }
  });
});

test('amounts by currency are hundredths, written as a number or a text', () => {
  const text = `decisions: { fourEyesAbove: { EUR: 1000.5, USD: "20", GBP: 0.01 } }`;
  expect([...load(text).decisions.fourEyesAbove]).toEqual([
    ['EUR', 100_050n],
    ['USD', 2_000n],
    ['GBP', 1n],
  ]);
});

test('tolerances are hundredths by currency; a brand in files has one name in payments', () => {
  const { matching } = load(
    'matching:\n  tolerance: { EUR: 0.01, USD: "0.5" }\n  brandAliases: { VISADEBIT: VISA, "MASTER, DEBIT": MASTER }\n',
  );
  expect([...matching.tolerance]).toEqual([
    ['EUR', 1n],
    ['USD', 50n],
  ]);
  expect([...matching.brandAliases]).toEqual([
    ['VISADEBIT', 'VISA'],
    ['MASTER, DEBIT', 'MASTER'],
  ]);
});

describe('where the configuration comes from', () => {
  test('without a file the defaults hold', () => {
    const config = loadConfig(null, environment(), folder.path);
    expect(config).toEqual({
      file: null,
      placeOf: expect.any(Function) as unknown,
      dataDirectory: path.join(folder.path, 'recon-data'),
      databaseUrl: null,
      timezone: 'UTC',
      settlementDueDays: 5,
      lookbackDays: 60,
      largeFileBytes: 33_554_432,
      intake: {},
      logLevel: 'info',
      matching: {
        attributes: { enabled: true, windowHours: 24 },
        maxPaymentsPerKey: 1000,
        tolerance: new Map(),
        brandAliases: new Map(),
      },
      reports: { fileMode: 0o600, delimiter: ';', decimalSeparator: '.', deliverTo: [] },
      http: {
        host: '127.0.0.1',
        port: 8080,
        environment: 'test',
        trustProxy: [],
        bodyLimitBytes: 1024 * 1024,
        requestTimeoutMs: 30_000,
        limits: {},
        checkoutStatusPerMinute: 0,
      },
      archive: { encryptWith: null, keys: {} },
      paymentCore: { keys: null },
      webhooks: { allowHosts: [], timeoutMs: 30_000 },
      worker: { adminHost: '127.0.0.1', graceSeconds: 10, leaseSeconds: 60 },
      decisions: { fourEyesAbove: new Map() },
      retention: {
        archiveDays: null,
        reportsDays: null,
        recordsMonths: null,
        rejectedRowsDays: null,
        auditDays: null,
        eventsDays: null,
        checkoutsDays: null,
        jobsDays: null,
        registrationsDays: null,
        afterRun: false,
      },
      schedule: { cron: '30 5 * * *', timezone: 'UTC', catchUpDays: 7, adminHost: '127.0.0.1' },
      metrics: { textfile: null },
      alerts: {
        email: null,
        webhook: null,
        command: null,
        thresholds: { newItems: null, newAtRisk: new Map(), openAtRisk: new Map() },
        overdueMinutes: 60,
      },
      secretFiles: [],
      sources: [],
      warnings: [],
    });
  });

  test.each([
    ['a file of comments', '# nothing\n'],
    ['an empty file', ''],
    ['names without values', 'sources:\nschedule:\n'],
  ])('%s means the defaults', (_name, text) => {
    const defaults = loadConfig(null, environment(), folder.path);
    expect({ ...load(text), file: null, placeOf: defaults.placeOf }).toEqual(defaults);
  });

  test('recon.config.yaml of the folder is found; RECON_CONFIG takes precedence over it, --config over both', () => {
    for (const name of ['recon.config.yaml', 'from-environment.yaml', 'named.yaml']) {
      writeFileSync(path.join(folder.path, name), `lookbackDays: ${name.length}\n`);
    }
    const configFile = 'from-environment.yaml';
    expect(loadConfig(null, environment(), folder.path)).toMatchObject({
      file: 'recon.config.yaml',
      lookbackDays: 17,
    });
    expect(loadConfig(null, environment({ configFile }), folder.path)).toMatchObject({ lookbackDays: 21 });
    expect(loadConfig('named.yaml', environment({ configFile }), folder.path)).toMatchObject({
      lookbackDays: 10,
    });
  });

  test('a file that was named must be there and readable', () => {
    const unreadable = (named: string | null, configFile: string | null) => () =>
      loadConfig(named, environment({ configFile }), folder.path);
    const absolute = path.join(folder.path, 'gone.yaml');
    expect(unreadable('gone.yaml', null)).toThrow(
      `The configuration ${absolute} cannot be read: it does not exist.`,
    );
    expect(unreadable(null, 'gone.yaml')).toThrow('it does not exist');
    expect(unreadable('.', null)).toThrow('it is a folder');
  });

  test('the environment takes precedence over the file, whose secret file need not exist', () => {
    const config = load('dataDirectory: /from/file\ndatabaseUrlFile: nowhere\n', {
      databaseUrl: 'postgresql:///from-environment',
      dataDirectory: 'elsewhere',
    });
    expect(config.databaseUrl).toBe('postgresql:///from-environment');
    expect(config.dataDirectory).toBe(path.join(folder.path, 'elsewhere'));
  });

  test('relative paths start at the folder of the file', () => {
    mkdirSync(path.join(folder.path, 'etc'));
    writeFileSync(path.join(folder.path, 'etc/c.yaml'), `dataDirectory: data\nsources:\n${local}\n`);
    const config = loadConfig('etc/c.yaml', environment(), folder.path);
    expect(config.dataDirectory).toBe(path.join(folder.path, 'etc/data'));
    expect(config.sources[0]?.folder).toBe(path.join(folder.path, 'etc/inbox'));
  });

  test('the configuration is deeply frozen', () => {
    const config = load(`sources:\n${local}\n`);
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.sources[0]?.afterSuccess)).toBe(true);
  });
});

describe('values', () => {
  test('variables of the environment become numbers and choices where the setting requires them, and texts elsewhere', () => {
    const config = load(
      sftp(
        `    port: \${PORT}\n    password: \${PASSWORD}\n    hostKeys: [${hostKey}]\n    folder: /a/\${PORT}/$\${PORT}\n`,
      ),
    );
    expect(config.sources[0]).toMatchObject({ port: 2222, password: '12345', folder: '/a/2222/${PORT}' });
    expect(load('matching:\n  attributes:\n    enabled: ${TRUE}\n').matching.attributes.enabled).toBe(true);
  });

  test('an sftp source, complete, its secrets from files without their last line feed', () => {
    writeFileSync(path.join(folder.path, 'password'), 'pass word \n');
    // As some editors write it.
    writeFileSync(path.join(folder.path, 'phrase'), '\ufeffphrase\r\n');
    writeFileSync(path.join(folder.path, 'key'), 'KEY\nKEY\n', { mode: 0o600 });
    const config = load(
      sftp(
        `    passwordFile: password\n    privateKeyFile: key\n    passphraseFile: phrase\n    knownHostsFile: hosts\n    hostKeys: ['SHA256:${'A'.repeat(43)}=']\n`,
      ),
    );
    expect(config.sources[0]).toEqual({
      ...sourceDefaults,
      name: 'acquirer',
      protocol: 'sftp',
      host: 'h',
      port: 22,
      username: 'u',
      folder: '.',
      password: 'pass word ',
      privateKey: 'KEY\nKEY',
      passphrase: 'phrase',
      hostKeys: [`SHA256:${'A'.repeat(43)}`],
      knownHostsFile: path.join(folder.path, 'hosts'),
      allowSha1HostKeys: false,
    });
    expect(JSON.stringify(maskConfig(config))).not.toMatch(/pass word|:"phrase"|KEY/);
  });

  test.each([
    ['explicit', 21],
    ['implicit', 990],
  ])('an ftps source, %s, has port %i unless another is given', (tls, port) => {
    writeFileSync(path.join(folder.path, 'ca'), 'PEM\n');
    const config = load(
      `timezone: Asia/Tokyo\nsources:\n  - { name: a, protocol: ftps, host: h, username: u, password: p, tls: ${tls}, caFile: ca }\n`,
    );
    expect(config.sources[0]).toEqual({
      ...sourceDefaults,
      name: 'a',
      protocol: 'ftps',
      host: 'h',
      port,
      username: 'u',
      folder: '.',
      password: 'p',
      timezone: 'Asia/Tokyo',
      tls,
      certificateAuthority: 'PEM',
      serverName: null,
      allowInsecure: false,
      allowSeparateTransferHost: false,
    });
  });

  test('plain FTP when it is allowed by name', () => {
    const config = load(
      'sources:\n  - { name: a, protocol: ftp, host: h, username: u, password: p, allowInsecure: true }\n',
    );
    expect(config.sources[0]).toMatchObject({ protocol: 'ftp', port: 21, tls: null, allowInsecure: true });
  });

  test.each([
    [0o600, [], []],
    [0o640, [], ['The private key key can be read by its group; run chmod 600 on it.']],
    [
      0o644,
      [
        'c.yaml:6:21 sources.0.privateKeyFile: the private key key can be read or changed by others; run chmod 600 on it',
      ],
      [],
    ],
    [
      0o620,
      [
        'c.yaml:6:21 sources.0.privateKeyFile: the private key key can be read or changed by others; run chmod 600 on it',
      ],
      [],
    ],
  ])('a private key with mode %o', (mode, problems, warnings) => {
    writeFileSync(path.join(folder.path, 'key'), 'KEY\n');
    chmodSync(path.join(folder.path, 'key'), mode);
    const text = sftp(`    privateKeyFile: key\n    hostKeys: [${hostKey}]\n`);
    expect(problemsOf(text)).toEqual(problems);
    if (problems.length === 0) expect(load(text).warnings).toEqual(warnings);
  });
});

test.each([
  ['postgresql://u:secret@h:5432/d?password=secret', 'postgresql://u:***@h:5432/d'],
  ['postgresql:///d?host=/run', 'postgresql:///d'],
  ['host=h password=secret', '***'],
])('the database URL %s is shown as %s', (url, shown) => {
  expect(maskConfig(load('', { databaseUrl: url }))['databaseUrl']).toBe(shown);
});

test.each([
  ['', 0o600],
  ["reports: { fileMode: '0640' }", 0o640],
  ['reports: { fileMode: 0640 }', 0o640],
  ['reports: { fileMode: 644 }', 0o644],
])('the mode of reports is octal, as chmod reads it: %s', (text, mode) => {
  expect(load(text).reports.fileMode).toBe(mode);
});

describe('a misspelt environment variable', () => {
  const warnings = (names: readonly string[], text = 'timezone: UTC') => load(text, { names }).warnings;

  test.each([
    ['RECON_DATABSE_URL', 'RECON_DATABASE_URL'],
    ['RECON_DATADIR', 'RECON_DATA_DIR'],
    ['RECON_CONFG', 'RECON_CONFIG'],
  ])('%s is a warning', (name, meant) => {
    expect(warnings([name])).toEqual([
      `the environment variable ${name} has no effect; did you mean ${meant}?`,
    ]);
  });

  test.each([['RECON_DATABASE_URL'], ['RECON_KEEP'], ['RECON_SFTP_PASSWORD'], ['DATABASE_URL']])(
    '%s is none',
    (name) => {
      expect(warnings([name])).toEqual([]);
    },
  );

  test('a variable that the configuration uses is none', () => {
    expect(warnings(['RECON_DATA_DIR2'], 'dataDirectory: ${RECON_DATA_DIR2}')).toEqual([]);
  });
});

describe('a problem is named where it is, once, and in words that fit', () => {
  test.each<[string, string, Partial<EnvironmentSettings>, string[]]>([
    [
      'a variable with keys of the archive is in no file',
      'archive: { keysFile: keys.json }\n',
      { archiveKeys: 'abc' },
      [expect.stringMatching(/^the environment variable RECON_ARCHIVE_KEYS must contain keys/) as string],
    ],
    [
      'a byte order mark is not a column',
      '\uFEFFtimezone: X/Y\ntimezon: UTC\n',
      {},
      [
        'c.yaml:1:11 timezone: is not a time zone of the IANA database, such as Europe/Berlin',
        'c.yaml:2:1 timezon: there is no such setting (did you mean timezone?)',
      ],
    ],
    [
      'a number that breaks two rules',
      'largeFileBytes: 99999999999999999999\n',
      {},
      ['c.yaml:1:17 largeFileBytes: must be at most 9007199254740991'],
    ],
    [
      'a list and a group',
      'alerts: { command: [] }\nhttp: { limits: 3 }\n',
      {},
      [
        'c.yaml:1:20 alerts.command: must have at least one entry',
        'c.yaml:2:17 http.limits: must be a group of settings, each on a separate line',
      ],
    ],
    [
      'a setting of another action, and the setting that was written',
      'sources:\n  - { name: a, protocol: local, folder: x, afterSuccess: { action: delete, folder: y }, openpgp: { privateKey: z } }\n',
      {},
      [
        'c.yaml:2:76 sources.0.afterSuccess.folder: is not possible with the other settings of its group; remove it',
        'c.yaml:2:112 sources.0.openpgp.privateKey: contains no armored OpenPGP key (-----BEGIN PGP PRIVATE KEY BLOCK-----)',
      ],
    ],
  ])('%s', (_what, text, changes, problems) => {
    expect(problemsOf(text, changes)).toEqual(problems);
  });
});
