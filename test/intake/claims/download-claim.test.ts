import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { fencedTransactions, type FencedTransactions } from '../../../src/db/fence.js';
import {
  claimNextDownload,
  finishDownload,
  handBackDownload,
  hasDownloaders,
  renewDownloads,
  type ClaimedDownload,
  type DownloadClaim,
} from '../../../src/intake/claims/download-claim.js';
import {
  offerDownloads,
  readDownloads,
  takeDownload,
  withdrawDownloads,
} from '../../../src/intake/claims/offered-downloads.js';
import { runId } from '../../../src/values/ids.js';
import { databaseForAllTests } from '../../support/database.js';

/** Who downloads which file of a run: each is downloaded by one at a time, and none is lost. */

const run = runId(1);
const bank = 'bank sftp://merchant@bank.example:22// (plain)';
const other = 'other sftp://merchant@other.example:22// (plain)';
/** Longer than any test. */
const leaseSeconds = 3600;
const received = { sha256: 'a'.repeat(64), sizeBytes: 12, modifiedAtMs: 5000, stable: true };

const testDatabase = databaseForAllTests();
let fenced: FencedTransactions;

beforeAll(async () => {
  await testDatabase.database.sql`update run_fence set token = 7, run_id = 1`;
  fenced = fencedTransactions(testDatabase.database, { runId: run, token: 7n });
});

afterAll(() => fenced.end());

beforeEach(() =>
  write(async (tx) => {
    await tx`truncate file_downloads, workers`;
    await tx`delete from runs`;
    await tx`insert into runs (id, kind, status, fence_token, as_of, started_at, heartbeat_at, host, process_id)
      overriding system value values (1, 'run', 'running', 7, '2026-11-20', now(), now(), 'test', 1)`;
  }),
);

const write = <T>(work: (tx: Tx) => Promise<T>) => fenced.transact(work, 'what is committed');
const fileAt = (place: number) => ({
  name: `${place}.csv`,
  path: `/${place}.csv`,
  sizeBytes: 12,
  modifiedAtMs: 5000,
  isRegular: true,
});

/** Offers these places of a source. */
const offer = (places: readonly number[], { source = bank, atOnce = 9 } = {}) =>
  write((tx) =>
    offerDownloads(
      tx,
      run,
      leaseSeconds,
      places.map((place) => ({
        ...{ place, source, atOnce, file: fileAt(place) },
        ...{ maximumSizeBytes: 99, minimumAgeMs: 3, runClockMs: 1_000_000 },
      })),
    ),
  );
const claim = (owner: string, sources: readonly string[] = [bank]) =>
  write((tx) => claimNextDownload(tx, run, owner, sources));
async function claimed(owner: string, sources?: readonly string[]): Promise<ClaimedDownload> {
  const found = await claim(owner, sources);
  if (found === null) throw new Error(`${owner} got no file`);
  return found;
}
const placeFor = async (owner: string, sources?: readonly string[]) =>
  (await claim(owner, sources))?.claim.place;
const finish = (of: DownloadClaim) => write((tx) => finishDownload(tx, of, received));
const handBack = (of: DownloadClaim, declines: boolean) =>
  write((tx) => handBackDownload(tx, of, { declines }));
/** The lease of this place ends. */
const endLease = (place: number) =>
  write(
    (tx) => tx`update file_downloads set lease_until = now() - interval '1 second' where place = ${place}`,
  );
async function stateOf(place: number) {
  return (await write((tx) => readDownloads(tx, run, [place]))).get(place);
}

test('files are claimed in their order, each by one worker', async () => {
  await offer([2, 3, 1]);
  expect([await placeFor('w1'), await placeFor('w2'), await placeFor('w1'), await placeFor('w2')]).toEqual([
    1,
    2,
    3,
    undefined,
  ]);
});

test('a worker gets what the run decided about the file, and what the clock of the run shows', async () => {
  await offer([1]);
  await write((tx) => tx`update file_downloads set offered_at = now() - interval '10 seconds'`);
  const { runClockMs, ...rest } = await claimed('w1');
  expect(rest).toEqual({
    claim: { runId: run, place: 1, owner: 'w1', attempt: 1 },
    source: bank,
    file: fileAt(1),
    maximumSizeBytes: 99,
    minimumAgeMs: 3,
    leaseSeconds,
  });
  expect(runClockMs).toBeGreaterThanOrEqual(1_010_000);
});

test('a worker gets only files of its sources, and only of a run that responds', async () => {
  await offer([1], { source: other });
  await offer([2]);
  expect(await placeFor('w1')).toBe(2);
  await write((tx) => tx`update runs set heartbeat_at = now() - interval '61 seconds'`);
  expect(await placeFor('w1', [bank, other])).toBeUndefined();
  await write((tx) => tx`update runs set heartbeat_at = now(), status = 'completed'`);
  expect(await placeFor('w1', [bank, other])).toBeUndefined();
  await write((tx) => tx`update runs set status = 'running'`);
  expect(await placeFor('w1', [bank, other])).toBe(1);
});

test('no more files of a source are downloaded at once than it allows', async () => {
  await offer([1, 2, 3, 4], { atOnce: 2 });
  await offer([5], { source: other, atOnce: 1 });
  const first = await claimed('w1');
  expect(await placeFor('w2')).toBe(2);
  expect(await placeFor('w3')).toBeUndefined();
  // Another source has room.
  expect(await placeFor('w3', [bank, other])).toBe(5);
  // A file that arrived makes room, and so does one whose worker is not heard from.
  await finish(first.claim);
  expect(await placeFor('w3')).toBe(3);
  expect(await placeFor('w3')).toBeUndefined();
  await endLease(3);
  expect(await placeFor('w4')).toBe(3);
});

test('a file that a worker could not download goes to another one, and not to that worker again', async () => {
  await offer([1]);
  await handBack((await claimed('w1')).claim, true);
  expect(await stateOf(1)).toEqual({ state: 'free' });
  expect(await placeFor('w1')).toBeUndefined();
  expect(await placeFor('w2')).toBe(1);
});

test('a file that a worker hands back because it is stopped is free for everybody', async () => {
  await offer([1]);
  await handBack((await claimed('w1')).claim, false);
  expect(await placeFor('w1')).toBe(1);
});

test('a file whose worker is not heard from goes to another one, and what the first one still reports is refused', async () => {
  await offer([1]);
  const late = await claimed('w1');
  expect(await placeFor('w2')).toBeUndefined();
  await endLease(1);
  expect(await stateOf(1)).toEqual({ state: 'late' });
  const next = await claimed('w2');
  expect(next.claim.attempt).toBe(2);
  expect(await finish(late.claim)).toBe(false);
  await handBack(late.claim, true);
  expect(await stateOf(1)).toEqual({ state: 'taken' });
  expect(await finish(next.claim)).toBe(true);
  expect(await stateOf(1)).toEqual({ state: 'finished', owner: 'w2', received });
});

test('a worker that gets a file a second time reports nothing under its first claim', async () => {
  await offer([1]);
  const first = await claimed('w1');
  await endLease(1);
  const second = await claimed('w1');
  expect(await finish(first.claim)).toBe(false);
  await handBack(first.claim, true);
  expect(await stateOf(1)).toEqual({ state: 'taken' });
  expect(await finish(second.claim)).toBe(true);
});

test('a file that arrived is reported once, and nobody gets or frees it again', async () => {
  await offer([1]);
  const { claim: of } = await claimed('w1');
  expect(await finish(of)).toBe(true);
  expect(await finish(of)).toBe(false);
  await handBack(of, false);
  await endLease(1);
  expect(await placeFor('w2')).toBeUndefined();
  expect(await stateOf(1)).toMatchObject({ state: 'finished', owner: 'w1' });
});

test('an owner renews the leases of those of its files that are not finished', async () => {
  await offer([1, 2, 3]);
  for (const owner of ['w1', 'w1', 'w2']) await claimed(owner);
  for (const place of [1, 2, 3]) await endLease(place);
  await write((tx) => tx`update file_downloads set finished_at = now() where place = 2`);
  await write((tx) => renewDownloads(tx, run, 'w1'));
  const renewed = await write(
    (tx) =>
      tx`select place from file_downloads where lease_until > now() + interval '30 seconds' order by place`,
  );
  expect([...renewed]).toEqual([{ place: 1 }]);
});

test('what the run downloads itself is no worker’s any more, unless it has arrived', async () => {
  await offer([1, 2, 3]);
  const [first, second] = [await claimed('w1'), await claimed('w2')];
  await finish(second.claim);
  for (const place of [1, 2, 3]) await write((tx) => takeDownload(tx, run, place, 'run-1'));
  expect(await finish(first.claim)).toBe(false);
  expect(await stateOf(1)).toEqual({ state: 'taken' });
  expect(await stateOf(2)).toMatchObject({ state: 'finished', owner: 'w2' });
  expect(await placeFor('w3')).toBeUndefined();
});

test('an offer that is withdrawn is nobody’s, and the others stay', async () => {
  await offer([1, 2]);
  const { claim: of } = await claimed('w1');
  await write((tx) => withdrawDownloads(tx, { runId: run, places: [1] }));
  expect(await finish(of)).toBe(false);
  expect(await stateOf(1)).toBeUndefined();
  expect(await stateOf(2)).toEqual({ state: 'free' });
  await write((tx) => withdrawDownloads(tx));
  expect(await stateOf(2)).toBeUndefined();
});

test('a run shares downloads only with workers of its release that have the source and the archive, and respond', async () => {
  const { sql } = testDatabase.database;
  const worker = (id: string, changes: Readonly<Record<string, unknown>> = {}) =>
    write(
      (tx) =>
        tx`insert into workers ${tx({
          ...{ id, host: 'test', process_id: 1, version: '1.0.0', files_at_once: 1, sources: [bank] },
          ...{ started_at: new Date(), seen_at: new Date(), archive_problem: null, ...changes },
        })}`,
    );
  await worker('of another release', { version: '1.0.1' });
  await worker('without the source', { sources: [other] });
  await worker('without the archive', { archive_problem: 'it is not mounted' });
  await worker('silent', { seen_at: new Date(Date.now() - 21_000) });
  expect(await hasDownloaders(sql, '1.0.0', bank)).toBe(false);
  await worker('ready');
  expect(await hasDownloaders(sql, '1.0.0', bank)).toBe(true);
});
