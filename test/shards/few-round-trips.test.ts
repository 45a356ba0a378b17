import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  payment,
  paymentId,
  paymentsFile,
  refund,
  row,
  settlementFile,
  type Cells,
} from '../../scripts/fixtures/story.js';
import { installationOf } from './run-stories.js';
import { startShardProxy } from './shard-proxy.js';
import { startThreeServers, type ThreeServers } from './three-servers.js';

/** The number of statements that a shard gets must not grow with the records of a run. */
let three: ThreeServers;
let directory: string;
let folders = 0;

beforeAll(async () => {
  three = await startThreeServers();
  directory = mkdtempSync(path.join(tmpdir(), 'recon-round-trips-'));
});

afterAll(async () => {
  await three.stop();
  rmSync(directory, { recursive: true, force: true });
});

const folder = () => path.join(directory, `data-${(folders += 1)}`);

/** Refunds that name the debit, debits that name the preauthorisation, and records whose payment is not stored yet. */
function writeFiles(
  first: number,
  families: number,
): { readonly payments: string; readonly settlements: string } {
  const of = (one: (n: number) => readonly Cells[]) =>
    Array.from({ length: families }, (_, family) => one(first + family * 10)).flat();
  const amounts = { Amount: '20.00', SettlementAmount: '20.00' };
  const paid = (n: number, PaymentType: string, reference = '') =>
    payment(n, { PaymentType, Amount: '20.00', ReferencedPaymentId: reference });
  const place = folder();
  mkdirSync(place, { recursive: true });
  const files = {
    payments: path.join(place, 'payments.csv'),
    settlements: path.join(place, 'settlements.csv'),
  };
  writeFileSync(
    files.payments,
    paymentsFile(
      of((n) => [
        paid(n + 1, 'DB'),
        paid(n + 2, 'RF', paymentId(n + 1)),
        paid(n + 3, 'PA'),
        paid(n + 4, 'CP', paymentId(n + 3)),
        paid(n + 5, 'RF', paymentId(n + 4)),
      ]),
    ),
  );
  writeFileSync(
    files.settlements,
    settlementFile(
      of((n) => [
        row(n + 1, amounts),
        row(n + 1, { ...refund, ...amounts, SettlementTxId: `REFUND-1-${n}` }),
        row(n + 3, amounts),
        row(n + 3, { ...refund, ...amounts, SettlementTxId: `REFUND-3-${n}` }),
        // No payment has this amount, so that account, amount and time find none either.
        row(n + 9, { Amount: '33.00', SettlementAmount: '33.00' }),
      ]),
    ),
  );
  return files;
}

test(
  'a run with ten times the families and unmatched records asks a shard hardly more often',
  { timeout: 300_000 },
  async () => {
    const { home, a, b } = await three.create();
    const port = three.servers[2]?.port ?? 0;
    let trips = 0;
    const proxy = await startShardProxy(port, () => {
      trips += 1;
      return 'pass';
    });
    const addressOfB = b.replace(`:${port}/`, `:${proxy.port}/`);
    const { command, reports } = installationOf('demo', home, folder());
    for (const [name, url] of Object.entries({ a, b: addressOfB }))
      expect((await command('shards', 'add', '--name', name, '--url', url)).code).toBe(0);
    const tripsOfRun = async ({ payments, settlements }: ReturnType<typeof writeFiles>) => {
      expect((await command('payments', 'import', payments)).code).toBe(0);
      trips = 0;
      expect((await command('run', '--as-of', '2026-11-20', '--file', settlements)).code).toBe(0);
      return trips;
    };
    const few = await tripsOfRun(writeFiles(0, 20));
    const many = await tripsOfRun(writeFiles(1000, 200));
    expect(many).toBeLessThan(few * 1.5);
    // Each family was found: a refund that names its preauthorisation is matched to the refund.
    const reconciled = Object.entries(reports()).filter(([name]) => name.includes('reconciled'));
    const refunds = reconciled.flatMap(([, text]) => text.match(/;MATCHED;8ac7a4a1\d+5;/g) ?? []);
    expect(refunds).toHaveLength(220);
    proxy.close();
  },
);
