import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import {
  chargeback,
  chargebackReversal,
  payment,
  paymentId,
  paymentsFile,
  refund,
  row,
  settlementFile,
} from '../../scripts/fixtures/story.js';
import type { Sql } from '../../src/db/client.js';
import type { Database } from '../../src/db/connect.js';
import { inOwnTransaction } from '../../src/db/transaction.js';
import { correctRows } from '../../src/intake/corrections/correct-rows.js';
import { withdrawFile, type WithdrawalRequest } from '../../src/intake/withdraw-file.js';
import { decide, wholeDecided } from '../../src/items/decide.js';
import type { Deciding } from '../../src/items/decision-request.js';
import { everyOpenItem } from '../../src/items/list-items.js';
import { createPaymentCore } from '../../src/payment-core/index.js';
import { importPayments } from '../../src/payment-file/import-payments.js';
import { rerunRange } from '../../src/run/rerun-range.js';
import type { RunContext } from '../../src/run/run-context.js';
import { correctionHeader } from '../../src/settlement-file/correction-sheet.js';
import { runReconciliation } from '../../src/run/run-reconciliation.js';
import { encryptionKeys } from '../payment-core/support/test-core.js';
import { createTestDatabase } from '../support/database.js';
import { runContext } from '../support/run-context.js';

const demo = path.resolve(import.meta.dirname, '../../fixtures/demo');
const inbound = ['2026-11-17', '2026-11-18', '2026-11-19'].map((day) =>
  path.join(demo, `inbound/settlement-${day}.csv`),
);

const every = /(?:)/;
const none = /(?!)/;

/** A statement, and which kind of run sent it first. */
export interface SentStatement {
  readonly statement: string;
  readonly by: 'run' | 'rerun';
}

/**
 * Runs the demo (payments in, two files, then a third one, then a refund that names the debit of two refunds, then the
 * settlement of one of these, then a re-run of everything, then files that correct earlier ones, then a run after
 * findings were accepted, then a chargeback that was booked by hand before) on a separate database.
 *
 * @returns every statement that was sent, in the order in which each was sent first
 */
export async function recordStatements(): Promise<SentStatement[]> {
  const test = await createTestDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-sql-'));
  const sent = new Map<string, SentStatement>();
  let by: SentStatement['by'] = 'run';
  let recorded = every;
  const open = (options: object): Sql =>
    // Options that were parsed already are taken as they are; the driver's type knows unparsed ones only.
    postgres({
      ...test.database.sql.options,
      ...options,
      debug: (_connection: number, text: string) => {
        const statement = withoutNumbers(text);
        if (recorded.test(statement) && !sent.has(statement)) sent.set(statement, { statement, by });
      },
    } as never) as unknown as Sql;
  const sql = open({ max: 4 });
  const sessions: Sql[] = [];
  const database: Database = {
    ...test.database,
    sql,
    openSession: (lost) => {
      const session = open({ max: 1, onclose: lost });
      sessions.push(session);
      return session;
    },
  };
  try {
    await importPayments(database.sql, path.join(demo, 'payments.csv'));
    const payments = path.join(directory, 'payments.csv');
    const tenOfDebit = { PaymentType: 'RF', Amount: '10.00', ReferencedPaymentId: paymentId(9001) };
    writeFileSync(
      payments,
      paymentsFile([payment(9001), payment(9002, tenOfDebit), payment(9003, tenOfDebit), payment(9101)]),
    );
    await importPayments(database.sql, payments);
    sent.clear();
    // Files of more than 41,000 bytes get a separate table each, the others share one.
    const context = runContext(database, directory, { largeFileBytes: 41_000 });
    const run = { asOf: '2026-11-20', dryRun: false, sources: null };
    await runReconciliation(context, { ...run, files: inbound.slice(0, 2) });
    await runReconciliation(context, { ...run, files: inbound.slice(2) });
    recorded = /families|family_|misfit_records|fitting_|contested|room_rechecks/;
    for (const named of [9001, 9002]) {
      const file = path.join(directory, `settlement-${named}.csv`);
      writeFileSync(file, settlementFile([row(named, { ...refund, Amount: '10.00' })]));
      await runReconciliation(context, { ...run, files: [file] });
    }
    recorded = every;
    by = 'rerun';
    await rerunRange(context, { ...november, fetch: false, dryRun: false });
    by = 'run';
    // A run that writes reports counts the discrepancies itself.
    recorded = /^select t\.code, t\.severity/;
    await runReconciliation(context, { ...run, files: [], dryRun: true });
    recorded =
      /^delete from found_payments|^\s*(update new_matches|delete from key_hits).* crowded_families|busy_/s;
    await matchPlaceholder(context);
    recorded = /placeholders|awaiting_records|awaited_|frequent_/;
    await matchAwaited(context);
    recorded = every;
    await correctFiles(context, (those) => (recorded = those));
    recorded = /moved_reversals/;
    await moveChargeback(context);
    recorded = /^\s*update discrepancies d set accepted_at_risk_minor/;
    await acceptUnmatched(context);
    recorded = /booked_payments|ids_of_booked|core_chargebacks|core_reversals/;
    await chargeBackByHand(context);
  } finally {
    await Promise.all([sql, ...sessions].map((client) => client.end({ timeout: 1 })));
    await test.drop();
    rmSync(directory, { recursive: true, force: true });
  }
  return [...sent.values()];
}

const november = { from: '2026-11-01', to: '2026-11-30', asOf: '2026-11-20' };
const asked = { asOf: '2026-11-20', dryRun: false, sources: null };

/**
 * A record with a ShortId that two payments have, a chargeback that names an authorisation with two captures, and
 * eleven records with the account, amount and time of two payments, where one is the limit.
 */
async function matchPlaceholder(context: RunContext): Promise<void> {
  const { dataDirectory, database } = context;
  const payments = path.join(dataDirectory, 'placeholder-payments.csv');
  const captures = [9204, 9205].map((number) =>
    payment(number, { PaymentType: 'CP', ReferencedPaymentId: paymentId(9203) }),
  );
  writeFileSync(
    payments,
    paymentsFile([
      ...[9201, 9202].map((number) => payment(number, { ShortId: 'none' })),
      payment(9203, { PaymentType: 'PA' }),
      ...captures,
      ...[9206, 9207].map((number) => payment(number, { AccountNumberLast4: '4321' })),
    ]),
  );
  await importPayments(database.sql, payments);
  const file = path.join(dataDirectory, 'placeholder.csv');
  // It is older than the look-back, so that later runs leave it alone.
  const chargeback = {
    ReconciliationType: 'CHARGEBACK',
    Cashflow: 'NEG',
    ReasonCode: '4853',
    SettlementDate: '2026-01-05',
  };
  const equal = { UniqueID: '', ShortId: '', AccountNumberLast4: '4321', SettlementDate: '2026-01-05' };
  const alike = Array.from({ length: 11 }, (_, n) => row(9210 + n, equal));
  const rows = [row(9201, { UniqueID: '', ShortId: 'none' }), row(9203, chargeback), ...alike];
  writeFileSync(file, settlementFile(rows));
  await runReconciliation({ ...context, maxPaymentsPerKey: 1 }, { ...asked, files: [file] });
}

/**
 * A record without SettlementTxId that ShortId matched, and the payment that its UniqueID names, stored afterwards; and
 * one whose ShortId becomes a placeholder by payments of the as-of date.
 */
async function matchAwaited(context: RunContext): Promise<void> {
  const { dataDirectory, database } = context;
  const importOne = async (number: number, values: Record<string, string>) => {
    const file = path.join(dataDirectory, `awaited-${number}.csv`);
    writeFileSync(file, paymentsFile([payment(number, values)]));
    await importPayments(database.sql, file);
  };
  await importOne(9301, { ShortId: '9301.9301.9301' });
  const file = path.join(dataDirectory, 'awaited.csv');
  writeFileSync(file, settlementFile([row(9302, { ShortId: '9301.9301.9301', SettlementTxId: '' })]));
  await runReconciliation(context, { ...asked, files: [file] });
  await importOne(9302, {});
  await runReconciliation(context, { ...asked, files: [] });
  const shortId = { ShortId: '9303.9303.9303' };
  await importOne(9303, shortId);
  writeFileSync(file, settlementFile([row(9304, { ...shortId, SettlementTxId: '' })]));
  await runReconciliation(context, { ...asked, files: [file] });
  for (const number of [9305, 9306]) {
    await importOne(number, { ...shortId, Timestamp: '2026-11-20 10:00:00+0000' });
  }
  await runReconciliation({ ...context, maxPaymentsPerKey: 1 }, { ...asked, files: [] });
}

/** A chargeback that the back office books before the record of it arrives, with the record that reverses it. */
async function chargeBackByHand(context: RunContext): Promise<void> {
  const { dataDirectory, database } = context;
  const { sql } = database;
  const payments = path.join(dataDirectory, 'charged-payments.csv');
  writeFileSync(payments, paymentsFile([payment(9401)]));
  await importPayments(sql, payments);
  const core = await createPaymentCore({ sql, environment: 'live', encryptionKeys, clock: context.clock });
  await core.chargebacks.book(paymentId(9401), {});
  const file = path.join(dataDirectory, 'charged.csv');
  writeFileSync(file, settlementFile([row(9401, chargeback), row(9401, chargebackReversal)]));
  await runReconciliation(context, { ...asked, files: [file] });
}

/** A chargeback whose correction belongs to another payment, after its reversal arrived. */
async function moveChargeback(context: RunContext): Promise<void> {
  const { dataDirectory, database } = context;
  const named = { UniqueID: '', ShortId: '9501.9501.9501' };
  const payments = path.join(dataDirectory, 'moved-payments.csv');
  writeFileSync(
    payments,
    paymentsFile([9501, 9502].map((n) => payment(n, { ShortId: named.ShortId, Amount: `${n}.00` }))),
  );
  await importPayments(database.sql, payments);
  const reported = (n: number) =>
    row(n, { ...chargeback, ...named, SettlementTxId: 'CB-95', Amount: `${n}.00` });
  const reversal = row(9501, { ...chargebackReversal, SettlementTxId: 'CR-95', Amount: '9501.00' });
  const file = path.join(dataDirectory, 'moved.csv');
  for (const rows of [[reported(9501), reversal], [reported(9502)]]) {
    writeFileSync(file, settlementFile(rows));
    await runReconciliation(context, { ...asked, files: [file] });
  }
  const decision = {
    target: {
      filter: { ...everyOpenItem, code: 'RECORD_REDELIVERED' },
      filterText: '--code RECORD_REDELIVERED',
    },
    request: { ...nothingDecided, kind: 'supersede', reason: 'corrected' },
    deciding: decidingBy('anna', context),
  } as const;
  await decide(database.sql, decision, wholeDecided);
  await runReconciliation(context, { ...asked, files: [] });
}

/** What belongs to no kind of decision is null. */
const nothingDecided = { until: null, linkTo: null, assignee: null, reason: null, note: null };

const decidingBy = (author: string, { clock }: RunContext): Deciding => ({
  author,
  asOf: asked.asOf,
  timezone: 'UTC',
  now: clock(),
  dryRun: false,
  fourEyesAbove: new Map(),
});

/** The decision that the unmatched records are accepted, and a run. */
async function acceptUnmatched(context: RunContext): Promise<void> {
  const decision = {
    target: { filter: { ...everyOpenItem, code: 'NOT_MATCHED' }, filterText: '--code NOT_MATCHED' },
    request: { ...nothingDecided, kind: 'accept', reason: 'agreed' },
    deciding: decidingBy('anna', context),
  } as const;
  await decide(context.database.sql, decision, wholeDecided);
  await runReconciliation(context, { ...asked, files: [] });
}

/**
 * Files that repeat stored rows (a small and a large one), a file that corrects rows of another, the decision that the
 * later rows replace the former ones, the withdrawal and restoration of that file, an unlink, a link and an undo, and
 * the reversal of a payment; a run after each.
 */
async function correctFiles(context: RunContext, record: (those: RegExp) => void): Promise<void> {
  const runWith = async (...files: string[]) => {
    record(every);
    await runReconciliation(context, { ...asked, files });
    record(none);
  };
  const write = (name: string, text: string) => {
    const file = path.join(context.dataDirectory, name);
    writeFileSync(file, text);
    return file;
  };
  const known = [inbound[0], inbound[2]].map((file) => readFileSync(file ?? '', 'utf8').split('\n'));
  const added = settlementFile([row(9101)])
    .split('\n')
    .slice(1);
  const [small = [], large = []] = known;
  await runWith(
    write('repeats-some.csv', [...small.slice(0, 5), ...added].join('\n')),
    write('repeats-all.csv', [...large.slice(0, -1), small[1], ''].join('\n')),
  );
  // A range lists every row of a file, those that it repeats too.
  record(/string_agg\(t\.line.* between/s);
  await rerunRange(context, { ...november, fetch: false, dryRun: false });
  record(none);
  const reversed = { ...chargeback, SettlementTxId: 'CB-9101' };
  await runWith(write('first.csv', settlementFile([row(9101, reversed)])));
  const corrected = write(
    'corrected.csv',
    settlementFile([row(9101, { ...reversed, ReasonCode: '000.100.221' })]),
  );
  await runWith(corrected);
  const { sql } = context.database;
  const deciding = decidingBy('anna', context);
  const filter = { ...everyOpenItem, code: 'RECORD_REDELIVERED' } as const;
  await decide(
    sql,
    {
      target: { filter, filterText: '--code RECORD_REDELIVERED' },
      request: { ...nothingDecided, kind: 'supersede', reason: 'corrected' },
      deciding,
    },
    wholeDecided,
  );
  await runWith();
  for (const kind of ['withdraw', 'restore'] as const) {
    const request: WithdrawalRequest = {
      kind,
      file: 'corrected.csv',
      reason: 'test',
      author: 'anna',
      decidedAt: new Date(context.clock()).toISOString(),
    };
    await inOwnTransaction(sql, (tx) => withdrawFile(tx, request));
    await runWith();
  }
  for (const [kind, linkTo] of [
    ['unlink', null],
    ['link', paymentId(9101)],
    ['undo', null],
  ] as const) {
    const request = { ...nothingDecided, kind, linkTo };
    await decide(sql, { target: { named: ['corrected.csv:2'] }, request, deciding }, wholeDecided);
    await runWith();
  }
  // A payment is reversed after its settlement was matched.
  const reversal = { PaymentType: 'RV', ReferencedPaymentId: paymentId(9101) };
  await importPayments(sql, write('reversal.csv', paymentsFile([payment(9104, reversal)])));
  await runWith();
  await correctRow(context, runWith, write);
  // The run that takes the correction up does not report the file that the row came in.
  record(/select line, cells from row_corrections/);
  await rerunRange(context, { ...november, fetch: false, dryRun: false });
  record(none);
  await rerunOneOfManyDays(context, write, record);
}

/** A day of two larger files with rows of other days, of which the second repeats the first. */
async function rerunOneOfManyDays(
  context: RunContext,
  write: (name: string, text: string) => string,
  record: (those: RegExp) => void,
): Promise<void> {
  const rows = Array.from({ length: 301 }, (_, n) =>
    row(9200 + n, n % 30 === 0 ? { SettlementDate: '2026-11-03' } : {}),
  );
  const files = [rows.slice(1), rows].map((those, at) => write(`days-${at}.csv`, settlementFile(those)));
  record(/row_places|uuid_send/);
  await runReconciliation(context, { ...asked, files });
  await rerunRange(context, {
    ...november,
    from: '2026-11-03',
    to: '2026-11-03',
    fetch: false,
    dryRun: false,
  });
  record(none);
}

/** A row that was rejected, the correction of it, and a run. */
async function correctRow(
  context: RunContext,
  runWith: (...files: string[]) => Promise<void>,
  write: (name: string, text: string) => string,
): Promise<void> {
  const { sql } = context.database;
  await runWith(write('rejected.csv', settlementFile([row(9102), row(9103, { Amount: '1,00' })])));
  const [file] = await sql<
    { sha256: string }[]
  >`select sha256 from settlement_files where name = 'rejected.csv'`;
  const cells =
    settlementFile([row(9103)])
      .trimEnd()
      .split('\n')
      .at(-1)
      ?.split(';') ?? [];
  const table = {
    ...{ name: 'corrections.csv', sha256: '0'.repeat(64), header: correctionHeader },
    headers: [{ line: 1, sheet: null, columns: correctionHeader }],
    rows: [{ line: 2, sheet: null, cells: [...cells, 'rejected.csv', '3', file?.sha256 ?? '', ''] }],
  };
  await correctRows(sql, table, { author: 'anna', asOf: asked.asOf, now: context.clock(), dryRun: false });
  await runWith();
}

/** Statements that differ only in a generated name, or in the number of parts that they read, are one. */
function withoutNumbers(statement: string): string {
  return (
    statement
      .trim()
      .replace(/settlement_records_\d+/g, 'settlement_records_N')
      // One for each part of the table that may hold records of the file's dates.
      .replace(/( union all select \* from "settlement_records_N")+/g, '$1')
      .replace(/snapshot '[0-9A-F-]+'/g, "snapshot 'S'")
      .replace(/from \(\d+\) to \(\d+\)/gi, 'from (F) to (T)')
      .replace(/file_id >= \d+ and file_id < \d+/, 'file_id >= F and file_id < T')
  );
}
