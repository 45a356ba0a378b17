import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { columns, headerLine } from '../../src/settlement-file/columns.js';
import { Collector } from '../cli/recon.js';
import { paymentId, paymentsFile, settlementFile, type Cells } from '../cli/installation.js';
import { folderContent } from '../reporting/world.js';
import { runCli } from '../support/cli.js';
import { databaseForAllTests } from '../support/database.js';
import { startScriptedFtpServer } from '../support/scripted-ftp-server.js';
import { newKeyPair, startSftpServer, STATUS_CODE } from '../support/sftp-server.js';
import { folderForAllTests } from '../support/test-folder.js';

/**
 * F134: every secret that a run can meet, in every way in which it can come in. None may be found in what is printed,
 * logged, reported, recorded or stored.
 *
 * What is kept as it came, by design: the archive and the reconciled files (the sender's own bytes), and the
 * references of an accepted record or payment and the name of a file that was taken, of which one in ten looks
 * like a card number by chance.
 */
const key = newKeyPair('ed25519').private;
const canary = {
  pan: '4929420573595709',
  cvv: 'cvv-canary-937',
  password: 'pw-canary-5f1b77',
  passphrase: 'passphrase-canary-0c2e',
  databasePassword: 'db-canary-91aa0e',
  token: 'token-canary-77ce41',
  webhookSecret: 'webhook-canary-3d09bb',
};
const { pan } = canary;
const masked = '492942******5709';

const traces: readonly string[] = [
  ...Object.values(canary),
  pan.replace(/(.{4})(?=.)/g, '$1 '),
  pan.replace(/(.{4})(?=.)/g, '$1-'),
  pan.slice(4, 12),
  ...key.split('\n').filter((line) => line.length > 30 && !line.startsWith('-----')),
];

function leaks(text: string): string[] {
  return traces.filter((trace) => text.includes(trace));
}

const testDatabase = databaseForAllTests();
const directory = folderForAllTests();

beforeAll(() => {
  mkdirSync(path.join(directory.path, 'inbox'));
});

/** The database's address with a password, which a server that trusts its socket does not look at. */
function urlWithPassword(): string {
  return `${testDatabase.url}${testDatabase.url.includes('?') ? '&' : '?'}password=${canary.databasePassword}`;
}

function write(name: string, content: string): string {
  const file = path.join(directory.path, name);
  writeFileSync(file, content);
  utimesSync(file, 0, 1_700_000_000);
  return file;
}

/** A form of its output: as JSON, in words, or in words on a terminal, where the log is readable too. */
interface Form {
  readonly options: readonly string[];
  readonly isTerminal: boolean;
}

const forms: readonly Form[] = [
  { options: ['--json'], isTerminal: false },
  { options: [], isTerminal: false },
  { options: [], isTerminal: true },
];

/** One form, for the cases of a list that differ in nothing that its form could depend on: each form gets its turn. */
const formOf = (index: number): Form[] => forms.filter((_, place) => place === index % forms.length);

const environment = (): Record<string, string> => ({
  RECON_DATABASE_URL: urlWithPassword(),
  RECON_DATA_DIR: 'data',
  RECON_TOKEN: canary.token,
  RECON_WEBHOOK_SECRET: canary.webhookSecret,
  SFTP_PASSWORD: canary.password,
});

/** Runs it in these forms with every log line there is; nothing it says may contain a secret. */
async function tell(
  args: readonly string[],
  env: Record<string, string> = {},
  inForms: readonly Form[] = forms,
): Promise<string> {
  let said = '';
  for (const { options, isTerminal } of inForms) {
    const [stdout, stderr] = [new Collector(), new Collector()];
    stdout.isTTY = stderr.isTTY = isTerminal;
    const folder = process.cwd();
    process.chdir(directory.path);
    try {
      await runProgram([...args, ...options, '--log-level', 'trace'], {
        stdout,
        stderr,
        cwd: directory.path,
        environment: { ...environment(), ...env },
        signal: new AbortController().signal,
      });
    } finally {
      process.chdir(folder);
    }
    said += checked(args, stdout.text, stderr.text);
  }
  return said;
}

/** The same as a separate process, which may die. */
async function tellElsewhere(args: readonly string[], env: Record<string, string>): Promise<void> {
  const { stdout, stderr } = await runCli([...args, '--log-level', 'trace'], {
    cwd: directory.path,
    env: { ...environment(), ...env },
  });
  checked(args, stdout, stderr);
}

function checked(args: readonly string[], stdout: string, stderr: string): string {
  expect(leaks(stdout), `standard output of ${args.join(' ')}`).toEqual([]);
  expect(leaks(stderr), `standard error of ${args.join(' ')}`).toEqual([]);
  return stdout + stderr;
}

const asOf = ['--as-of', '2026-11-20'];

describe('F134 rows of a settlement file', () => {
  const words = columns.flatMap(({ name, type }) => (type.kind === 'text' && type.free ? [name] : []));

  test('card numbers in words of accepted rows, and in every column of rejected ones', async () => {
    expect(words.length).toBeGreaterThan(5);
    const accepted = words.map((name, index): Cells => ({
      [name]: spoken(index),
      SettlementTxId: `STL-${name}`,
    }));
    const rejected = columns.map(({ name }, index): Cells => {
      const broken = name === 'Amount' ? 'SettlementAmount' : 'Amount';
      return { [broken]: 'much', [name]: index % 2 === 0 ? pan : `${pan.slice(0, 8)} ${pan.slice(8)}` };
    });
    write('rows.csv', settlementFile(1, ...accepted, ...rejected));
    const said = await tell(['run', '--file', 'rows.csv', ...asOf]);
    expect(said).toContain('"msg":"file loaded"');
    const [stored] = await testDatabase.database.sql`
      select count(*)::int as records from settlement_records where descriptor like ${`%${masked}%`}`;
    expect(stored).toEqual({ records: 1 });
    const [quarantine] = await testDatabase.database.sql`
      select count(*)::int as rows from rejected_rows where raw_text like ${`%${masked}%`}`;
    expect(quarantine).toEqual({ rows: columns.length });
  });

  /** As people write it, 32 characters at most. */
  function spoken(index: number): string {
    const grouped = pan.replace(/(.{4})(?=.)/g, index % 2 === 0 ? '$1 ' : '$1-');
    return [pan, grouped, `card ${pan}`][index % 3] ?? pan;
  }

  test.each([
    ['header', headerLine.replace('Descriptor', pan)],
    ['quote', `${settlementFile(1)}"${pan}`],
    ['cells', `${headerLine}\n${pan};${pan}\n`],
    ['nothing valid', settlementFile({ Amount: pan }, { SettlementDate: pan })],
  ])('a file that is refused for its %s', async (name, content) => {
    write('refused.csv', `${content}\n`);
    expect(await tell(['run', '--file', 'refused.csv', ...asOf]), name).toContain('"rejected"');
  });

  test('what is listed, explained and reported of them afterwards', async () => {
    await tell(['rerun', '--from', '2026-11-01', '--to', '2026-11-30', ...asOf]);
    await tell(['report', '--run', '1']);
    await tell(['report', '--from', '2026-11-01', '--to', '2026-11-30']);
    for (const list of ['runs', 'files', 'discrepancies']) await tell([list]);
    await tell(['explain', 'rows.csv:3']);
    await tell(['explain', 'rows.csv:20']);
    await tell(['doctor', '--reports']);
  });
});

describe('F134 payments', () => {
  test('a card number in every column of a file that is refused', async () => {
    const [header = '', line = ''] = paymentsFile(1).split('\n');
    const cells = line.split(';');
    const lines = cells.map((_, index) => {
      // One column too few or a bad amount makes each of them invalid.
      const changed = cells.map((cell, at) => (at === index ? pan : cell));
      return changed.map((cell, at) => (at === 4 && index !== 4 ? 'much' : cell)).join(';');
    });
    for (const [index, each] of lines.entries()) {
      write('payments.csv', `${header}\n${each}\n`);
      await tell(['payments', 'import', 'payments.csv'], {}, formOf(index));
    }
    write('payments.csv', `${header.replace('Amount', pan)}\n${line}\n`);
    await tell(['payments', 'import', 'payments.csv']);
    write('payments.csv', paymentsFile(1));
    await tell(['payments', 'import', 'payments.csv']);
    await tell(['payments', 'export', 'out.csv']);
    const rows = await testDatabase.database.sql`select id from payments`;
    expect(rows).toEqual([{ id: paymentId(1) }]);
  }, 120_000);
});

describe('F134 configuration', () => {
  const sources = (more: string) =>
    `sources:\n  - name: acquirer\n    protocol: sftp\n    host: 127.0.0.1\n${more}`;

  test('of which everything is right', async () => {
    write('key', key);
    chmodSync(path.join(directory.path, 'key'), 0o600);
    write(
      'right.yaml',
      [
        'logLevel: trace',
        `databaseUrl: "${urlWithPassword()}"`,
        sources(
          `    port: 1\n    attempts: 1\n    username: merchant\n    password: ${canary.password}\n` +
            `    passphrase: ${canary.passphrase}\n    privateKeyFile: key\n    hostKeys: []\n    knownHostsFile: none`,
        ),
      ].join('\n'),
    );
    for (const command of [['run'], ['doctor']]) {
      await tell([...command, '--config', 'right.yaml'], { RECON_DATABASE_URL: '' });
    }
  });

  test.each([
    ['a password that is a list', `    username: m\n    password: [${canary.password}]\n`],
    [
      'secrets as numbers of a port',
      `    username: m\n    port: ${canary.password}\n    attempts: ${canary.token}\n`,
    ],
    ['a key in the place of its file', `    username: m\n    privateKeyFile: ${JSON.stringify(key)}\n`],
    ['a password in the place of its file', `    username: m\n    passwordFile: ${canary.password}\n`],
    ['both', `    username: m\n    password: ${canary.password}\n    passwordFile: ${canary.password}\n`],
    [
      'settings that do not exist',
      `    username: m\n    token: ${canary.token}\n    webhookSecret: ${canary.webhookSecret}\n`,
    ],
    ['a malformed fingerprint', `    username: m\n    password: x\n    hostKeys: [${canary.password}]\n`],
    ['broken quotes', `    username: m\n    password: "${canary.password}\n`],
    ['broken indentation', `    username: m\n  password: ${canary.password}\n`],
    ['an unknown alias', `    username: m\n    password: *${canary.password}\n`],
    ['an unknown tag', `    username: m\n    password: !${canary.password} x\n`],
    ['a variable of the environment', `    username: m\n    port: "\${SFTP_PASSWORD}"\n    password: x\n`],
    [
      'card numbers everywhere',
      `    username: m\n    password: x\n    ${pan}: ${pan}\n    port: ${pan}\n    folder: [${pan}]\n`,
    ],
  ])('that is wrong: %s', async (_name, more) => {
    write('wrong.yaml', sources(more));
    expect(await tell(['run', '--config', 'wrong.yaml'])).toContain('CONFIG_INVALID');
  });

  test('whole, as it would stand in an address of the database that is wrong', async () => {
    const addresses = [
      `postgresql://recon:${canary.databasePassword}@127.0.0.1:1/recon`,
      `postgresql://recon:${canary.databasePassword}@host.invalid/recon`,
      `postgres//recon:${canary.databasePassword}@127.0.0.1/recon`,
      `postgresql://recon:${canary.databasePassword}@127.0.0.1:99999/recon`,
      `postgresql://recon:%${canary.databasePassword}%ZZ@127.0.0.1/recon`,
      `postgresql://recon@127.0.0.1:1/recon?password=${canary.databasePassword}`,
      `postgresql://127.0.0.1:1/recon?sslmode=verify-full&sslrootcert=/none/${'x'.repeat(3)}&options=-cfoo=${canary.token}`,
      canary.databasePassword,
    ];
    for (const [index, address] of addresses.entries()) {
      const said = await tell(['runs'], { RECON_DATABASE_URL: address }, formOf(index));
      expect(said).toMatch(/\b(DATABASE_[A-Z]+|CONFIG_INVALID)\b/);
    }
  }, 120_000);
});

describe('F134 names and arguments', () => {
  test('files that are not there, or not to be taken', async () => {
    await tell(['run', '--file', `gone-${pan}.csv`, '--file', `gone/${pan}`, ...asOf]);
    await tell(['payments', 'import', `gone-${pan}.csv`]);
    await tell(['runs', '--config', `gone-${pan}.yaml`]);
    const odd = path.join(directory.path, 'inbox', `a\u001b[2J ${pan}.csv`);
    writeFileSync(odd, 'x');
    write(
      'inbox.yaml',
      'sources:\n  - { name: inbox, protocol: local, folder: inbox, minimumAgeSeconds: 0 }\n',
    );
    expect(await tell(['run', '--config', 'inbox.yaml', ...asOf])).toContain('FILE_NAME_UNSAFE');
    rmSync(odd);
  });

  test.each([
    [['explain', pan]],
    [['explain', `rows.csv:${pan}`]],
    [['run', '--source', pan]],
    [['run', '--as-of', pan]],
    [['run', `--${pan}`]],
    [['run', `--password=${canary.password}`]],
    [['run', `--passwort=${canary.password}`, '--file', 'rows.csv']],
    [['--token', canary.token, 'run']],
    [['run', '--fail-on', pan]],
    [['report', '--run', pan]],
    [['runs', '--status', pan]],
    [['runs', '--limit', pan]],
    [['discrepancies', '--code', pan]],
    [['rerun', '--from', pan, '--to', pan]],
    [['migrate', urlOfCanary()]],
    [[pan]],
  ])('%j', async (args) => {
    const said = await tell(args);
    expect(said).toMatch(/"code":"[A-Z_]+"/);
  });

  function urlOfCanary(): string {
    return `postgresql://recon:${canary.databasePassword}@host/recon`;
  }
});

describe('F134 servers that repeat what they received', () => {
  const echo = `${canary.password} ${pan} ${canary.token}`;

  test.each(['USER', 'PASS', 'CWD', 'LIST', 'RETR', 'SIZE', 'MDTM', 'EPSV'])('FTP, to %s', async (asked) => {
    for (const [index, reply] of ['530', '550', '421', '999'].entries()) {
      const server = await startScriptedFtpServer({
        files: { 'a.csv': Buffer.from(settlementFile(1)) },
        modified: '20261101000000',
        reply: (command) => (command === asked ? `${reply} ${echo}` : undefined),
      });
      write(
        'ftp.yaml',
        `sources:\n  - { name: acquirer, protocol: ftp, host: 127.0.0.1, port: ${server.port}, username: merchant, ` +
          `password: "\${SFTP_PASSWORD}", folder: /, allowInsecure: true, attempts: 1, minimumAgeSeconds: 0, ` +
          'connectTimeoutMs: 2000, stallTimeoutMs: 1000 }\n',
      );
      await tell(['run', '--config', 'ftp.yaml', '--dry-run', ...asOf], {}, formOf(index));
      await server.close();
    }
  });

  test.each(['OPENDIR', 'READDIR', 'OPEN', 'READ', 'STAT'] as const)('SFTP, to %s', async (asked) => {
    write('inbox/sftp.csv', settlementFile(1));
    const server = await startSftpServer(path.join(directory.path, 'inbox'), {
      password: canary.password,
      intercept: ({ kind, sftp, id }) => {
        if (kind !== asked) return false;
        sftp.status(id, STATUS_CODE.FAILURE, `${echo}\u001b[2J`);
        return true;
      },
    });
    await runAgainst(server, canary.password);
    await server.close();
  });

  test('SFTP, to a wrong password and a name that is a card number', async () => {
    const server = await startSftpServer(path.join(directory.path, 'inbox'), { password: 'another' });
    await runAgainst(server, canary.password);
    await server.close();
  });

  async function runAgainst(server: { port: number; hostKeyFingerprint: string }, password: string) {
    write(
      'sftp.yaml',
      `sources:\n  - { name: acquirer, protocol: sftp, host: 127.0.0.1, port: ${server.port}, username: merchant, ` +
        `password: ${password}, folder: /, hostKeys: ["${server.hostKeyFingerprint}"], attempts: 1, ` +
        'connectTimeoutMs: 2000, stallTimeoutMs: 1000 }\n',
    );
    for (const command of [['run', ...asOf, '--dry-run'], ['doctor']]) {
      await tell([...command, '--config', 'sftp.yaml']);
    }
  }
});

describe('F134 failures in the middle', () => {
  test.each(['load.before', 'load.after', 'match.before', 'publish.manifest.before', 'close.before'])(
    'a run that dies at %s, and the next one',
    async (point) => {
      write(
        'more.csv',
        settlementFile({ Descriptor: `${point} ${pan}` }, { Amount: pan, Descriptor: point }),
      );
      await tellElsewhere(['run', '--file', 'more.csv', ...asOf], { RECON_FAIL_AT: point });
      await tell(['run', '--file', 'more.csv', ...asOf]);
    },
  );

  test.each([
    ['settlement_records', 'check (descriptor is null) not valid'],
    ['rejected_rows', 'check (false) not valid'],
    ['record_matches', 'check (false) not valid'],
    ['discrepancies', 'check (false) not valid'],
  ])('a database that refuses to store %s', async (table, constraint) => {
    const { sql } = testDatabase.database;
    write(
      'refused.csv',
      settlementFile({ Descriptor: `${table} ${pan}` }, { Amount: pan, Descriptor: table }),
    );
    await sql.unsafe(`alter table ${table} add constraint no_canary ${constraint}`);
    expect(await tell(['run', '--file', 'refused.csv', ...asOf])).toContain('"DATABASE_FAILED"');
    await sql.unsafe(`alter table ${table} drop constraint no_canary`);
    await tell(['run', '--file', 'refused.csv', ...asOf]);
  });

  test('payments that the database refuses', async () => {
    const { sql } = testDatabase.database;
    await sql.unsafe(
      'alter table payments add constraint no_canary check (merchant_invoice_id is null) not valid',
    );
    const [header = '', line = ''] = paymentsFile(2).split('\n');
    // The reference itself is kept as it came, when it is kept: the report of the failure must not quote it.
    write('payments.csv', `${header}\n${line.replace('order-2;;', `order-2;${pan};`)}\n`);
    expect(await tell(['payments', 'import', 'payments.csv'])).toContain('"DATABASE_FAILED"');
    await sql.unsafe('alter table payments drop constraint no_canary');
  });
});

describe('F134 what is left of it all', () => {
  /** The sender's own bytes: kept as they came, by design. */
  const asTheyCame = /^(archive|reports\/[^/]+\/reconciled)\//;

  test('reports and everything else on the disk', () => {
    const files = Object.entries(folderContent(path.join(directory.path, 'data')));
    const ours = files.filter(([name]) => !asTheyCame.test(name));
    expect(ours.length).toBeGreaterThan(30);
    for (const [name, content] of ours) expect(leaks(name + content), name).toEqual([]);
    const rejected = ours.filter(([name]) => name.endsWith('rejected-rows.csv'));
    expect(rejected.some(([, content]) => content.includes(masked))).toBe(true);
    // Otherwise nothing was looked for.
    expect(files.some(([name, content]) => asTheyCame.test(name) && content.includes(pan))).toBe(true);
  });

  test('every column of every table, run records among them', async () => {
    const { sql } = testDatabase.database;
    const tables = await sql<{ name: string }[]>`
      select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema in ('public', 'drizzle')`;
    expect(tables.length).toBeGreaterThan(20);
    for (const { name } of tables) {
      const rows = await sql.unsafe<{ row: string }[]>(`select to_jsonb(t)::text as row from ${name} t`);
      expect(leaks(rows.map(({ row }) => row).join('\n')), name).toEqual([]);
    }
    const [failed] = await sql`select count(*)::int as runs from runs where error_message is not null`;
    expect(failed?.['runs']).toBeGreaterThan(3);
  });

  test('a dump of the database', ({ skip }) => {
    const dump = spawnSync('pg_dump', ['--dbname', testDatabase.url], { encoding: 'utf8' });
    if (dump.status !== 0) {
      const reason = dump.error === undefined ? dump.stderr.trim() : 'pg_dump is not installed';
      skip(`no dump can be made, only every table was read: ${reason}`);
    }
    expect(dump.stdout).toContain(masked);
    expect(leaks(dump.stdout)).toEqual([]);
  });
});

describe('F134 the embedded database', () => {
  test('its log quotes no row, whatever fails', async () => {
    const embedded = { RECON_DATABASE_URL: '', RECON_DATA_DIR: 'embedded' };
    write(
      'rows.csv',
      settlementFile({ Descriptor: pan }, { Amount: pan }, { SettlementTxId: pan, Amount: '1.00' }),
    );
    await tell(['run', '--file', 'rows.csv', ...asOf], embedded);
    await tell(['payments', 'import', 'payments.csv'], embedded);
    const log =
      readdirSync(path.join(directory.path, 'embedded')).find((name) => name.endsWith('.log')) ?? '';
    expect(existsSync(path.join(directory.path, 'embedded', log))).toBe(true);
    expect(leaks(readFileSync(path.join(directory.path, 'embedded', log), 'utf8'))).toEqual([]);
  });
});
