import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { fencedTransactions, type FencedTransactions } from '../../../src/db/fence.js';
import { ClaimLost, claimedTransactions, type FileClaim } from '../../../src/intake/claims/file-claim.js';
import { offerFile, takeOffer, withdrawOffers } from '../../../src/intake/claims/offered-files.js';
import { registerFile } from '../../../src/intake/register-file.js';
import { runId } from '../../../src/values/ids.js';
import { databaseForAllTests } from '../../support/database.js';

/** What is stored under a claim is stored once, by whoever has the claim when the transaction ends. */

const testDatabase = databaseForAllTests();
let fenced: FencedTransactions;
let claim: FileClaim;

beforeAll(async () => {
  await testDatabase.database.sql`update run_fence set token = 7, run_id = 1`;
  fenced = fencedTransactions(testDatabase.database, { runId: runId(1), token: 7n });
});

afterAll(() => fenced.end());

beforeEach(async () => {
  const offered = await fenced.transact(async (tx) => {
    await tx`truncate settlement_files, file_claims`;
    const received = { sha256: 'a'.repeat(64), sizeBytes: 1, receivedAtMs: 0, sidecar: null };
    const file = await registerFile(tx, runId(1), { source: 'a', name: 'a.csv', ...received }, 1000);
    const terms = { timezone: 'UTC', maxRejectedShare: 1, leaseSeconds: 60 };
    const offer = { runId: runId(1), place: 1, fileId: file.id, ...terms };
    await offerFile(tx, offer);
    return takeOffer(tx, offer, 'worker-1');
  });
  if (offered === null) throw new Error('the offer could not be taken');
  claim = offered;
});

const store = (tx: Tx) => tx`update settlement_files set name = 'stored.csv'`;
async function nameStored(): Promise<string | undefined> {
  const [file] = await testDatabase.database.sql<{ name: string }[]>`select name from settlement_files`;
  return file?.name;
}

test('the claim ends with what is stored, and stores nothing a second time', async () => {
  const { sql } = testDatabase.database;
  await claimedTransactions(fenced.transact, claim)(store);
  expect(await nameStored()).toBe('stored.csv');
  expect(await sql`select from file_claims where finished_at is not null`).toHaveLength(1);
  await fenced.transact((tx) => tx`update settlement_files set name = 'reported.csv'`);
  await expect(claimedTransactions(fenced.transact, claim)(store)).rejects.toBeInstanceOf(ClaimLost);
  expect(await nameStored()).toBe('reported.csv');
});

test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ['its run takes back what it shared', withdrawOffers],
  [
    'somebody else gets the file',
    (tx) => tx`update file_claims set owner = 'worker-2', attempt = attempt + 1`,
  ],
  ['the run frees the file', (tx) => tx`update file_claims set owner = null, attempt = attempt + 1`],
])('nothing is stored if, meanwhile, %s', async (_what, lose) => {
  const storing = claimedTransactions(
    fenced.transact,
    claim,
  )(async (tx) => {
    await store(tx);
    await fenced.transact(lose, 'what is committed');
  });
  await expect(storing).rejects.toBeInstanceOf(ClaimLost);
  expect(await nameStored()).toBe('a.csv');
});
