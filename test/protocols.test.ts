import { existsSync, readFileSync, readdirSync, utimesSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLoopbackSftpServer, type LoopbackSftpServer } from '../src/demo/loopback-sftp-server.js';
import { sourceDefaults, type SourceSettings } from '../src/remote/source-settings.js';
import { importPayments } from '../src/payment-core/index.js';
import type { RunOutcome } from '../src/outcome.js';
import { rerunRange } from '../src/run/rerun-range.js';
import { runReconciliation } from '../src/run/run-reconciliation.js';
import { createTestDatabase, databaseForEachTest, type DatabaseOfTests } from './support/database.js';
import { startFtpServer, type FtpTestServer } from './support/ftp-server.js';
import { runContext } from './support/run-context.js';
import { folderForAllTests, folderForEachTest } from './support/test-folder.js';

/**
 * The stories of `fixtures/` once more, fetched over the protocols from real servers, and the same days as a
 * re-run: how the bytes came must not matter to what is found.
 */
const fixtures = path.resolve(import.meta.dirname, '../fixtures');
const stories = readdirSync(fixtures).filter((name) =>
  existsSync(path.join(fixtures, name, 'expected.json')),
);
const asOf = '2026-11-20';

const served = folderForAllTests();
let sftp: LoopbackSftpServer;
const ftpServers = new Map<string, FtpTestServer>();

beforeAll(async () => {
  const old = new Date('2026-11-19T06:00:00Z');
  for (const story of stories) {
    const folder = path.join(served.path, story);
    await cp(path.join(fixtures, story, 'inbound'), folder, { recursive: true });
    for (const name of readdirSync(folder)) utimesSync(path.join(folder, name), old, old);
  }
  sftp = await startLoopbackSftpServer({
    rootDirectory: served.path,
    username: 'merchant',
    password: 'secret',
  });
  ftpServers.set('ftp', await startFtpServer({ rootDirectory: served.path }));
  ftpServers.set('ftps explicit', await startFtpServer({ rootDirectory: served.path, tls: 'explicit' }));
  ftpServers.set('ftps implicit', await startFtpServer({ rootDirectory: served.path, tls: 'implicit' }));
});

afterAll(async () => {
  await sftp.close();
  for (const server of ftpServers.values()) await server.close();
});

const testDatabase = databaseForEachTest();
const directory = folderForEachTest();

/** Some stories have announced totals beside their files. */
const common = {
  ...sourceDefaults,
  name: 'acquirer',
  totals: { sidecar: '{name}.totals', required: false, waitHours: 24 },
};

function sourceOf(protocol: string, story: string): SourceSettings {
  const shared = {
    ...common,
    host: '127.0.0.1',
    username: 'merchant',
    password: 'secret',
  };
  if (protocol === 'local') return { ...common, protocol, folder: path.join(served.path, story) };
  if (protocol === 'sftp') {
    const { port, hostKeyFingerprint } = sftp;
    const keys = {
      privateKey: null,
      passphrase: null,
      hostKeys: [hostKeyFingerprint],
      knownHostsFile: null,
      allowSha1HostKeys: false,
    };
    return { ...shared, ...keys, protocol, port, folder: `/${story}` };
  }
  const server = ftpServers.get(protocol);
  if (server === undefined) throw new Error(`no server for ${protocol}`);
  const tls = protocol === 'ftp' ? null : protocol === 'ftps explicit' ? 'explicit' : 'implicit';
  return {
    ...shared,
    protocol: tls === null ? 'ftp' : 'ftps',
    port: server.port,
    folder: `/${story}`,
    tls,
    certificateAuthority: tls === null ? null : server.certificate,
    serverName: null,
    allowInsecure: tls === null,
    allowSeparateTransferHost: false,
  };
}

/** The bytes of the reports for people and of the reconciled files. */
function reportsOf(outcome: RunOutcome): Record<string, string> {
  const folder = outcome.reports?.directory ?? '';
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.csv'),
  );
  return Object.fromEntries(
    names.sort().map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
}

/** What the same story gives from a local folder: made once per story, whichever protocol asks first. */
const fromLocalFolder = new Map<string, Record<string, string>>();

async function tell(story: string, protocol: string, dataDirectory: string, on: DatabaseOfTests) {
  await importPayments(on.database.sql, path.join(fixtures, story, 'payments.csv'));
  const context = runContext(on.database, dataDirectory, { sources: [sourceOf(protocol, story)] });
  const request = { sources: null, files: [], asOf, dryRun: false };
  const run = await runReconciliation(context, request);
  const range = { from: '2026-11-01', to: '2026-11-30', fetch: false, asOf, dryRun: false };
  return { run, again: await runReconciliation(context, request), rerun: await rerunRange(context, range) };
}

const protocols = ['sftp', 'ftp', 'ftps explicit', 'ftps implicit'];
/** Over every protocol: an ordinary day, bytes that no reader may change, rows to reject, chargebacks. */
const overAll = ['clean-day', 'quoted-cells', 'bad-rows', 'chargebacks'];
/** The other stories over one protocol each, in turn: the bytes are the same as soon as they have arrived. */
const inTurn = stories.filter((story) => !overAll.includes(story));

describe.each(protocols.map((protocol, index) => ({ protocol, index })))(
  'over $protocol',
  ({ protocol, index }) => {
    const own = inTurn.filter((_, position) => position % protocols.length === index);
    test.each([...overAll, ...own])('%s', async (story) => {
      const { run, again, rerun } = await tell(story, protocol, directory.path, testDatabase);
      const expected = JSON.parse(readFileSync(path.join(fixtures, story, 'expected.json'), 'utf8')) as {
        exitCode: number;
        matching: object;
        chargebacks: object;
        discrepancies: unknown[];
      };
      expect(run).toMatchObject({
        status: 'completed',
        exitCode: expected.exitCode,
        matching: expected.matching,
        chargebacks: expected.chargebacks,
        discrepancies: { total: expected.discrepancies.length },
      });
      // A file that differs from its announced totals is compared again.
      const isComparedAgain = (file: RunOutcome['files'][number]) =>
        file.error?.code === 'FILE_TOTALS_DIFFER';
      expect(again.files.map((file) => file.status)).toEqual(
        run.files.map((file) => (isComparedAgain(file) ? 'rejected' : 'duplicate')),
      );
      expect(rerun.matching).toEqual(expected.matching);

      const local = fromLocalFolder.get(story) ?? (await reportsFromLocalFolder(story));
      fromLocalFolder.set(story, local);
      expect(reportsOf(run)).toEqual(local);
    });
  },
);

async function reportsFromLocalFolder(story: string): Promise<Record<string, string>> {
  const other = await createTestDatabase();
  try {
    const { run } = await tell(story, 'local', path.join(directory.path, 'local'), other);
    return reportsOf(run);
  } finally {
    await other.drop();
  }
}
