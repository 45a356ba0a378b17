import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RunOutcome } from '../../src/outcome.js';
import { importPayments } from '../../src/payment-core/index.js';
import { runReconciliation } from '../../src/run/run-reconciliation.js';
import { sourceDefaults, type SourceSettings } from '../../src/remote/source-settings.js';
import { rerunRange } from '../../src/run/rerun-range.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { runContext } from '../support/run-context.js';
import { paymentId } from '../cli/installation.js';
import { rowLine } from '../settlement-file/rows.js';

/** A file as a sender puts it. */
export interface SentFile {
  readonly name: string;
  readonly content: string | Buffer;
  /** When the sender wrote it; long ago when left out. */
  readonly modifiedAt?: Date;
}

/** A database and a data folder, into which whole nights are run in this process. */
export interface IntakeScene {
  readonly database: TestDatabase;
  readonly dataDirectory: string;
  storePayments(content: string): Promise<void>;
  /** One run over these files, in this order. */
  night(...files: readonly SentFile[]): Promise<RunOutcome>;
  /** A re-run of these settlement dates. */
  rerun(from: string, to: string): Promise<RunOutcome>;
  end(): Promise<void>;
}

/** The line of a record that settles the payment of that number in full. */
export function settlingRow(number: number, changes: Readonly<Record<string, string>> = {}): string {
  return rowLine({
    UniqueID: paymentId(number),
    SettlementTxId: `STL-${number}`,
    SettlementAmount: '100.00',
    SettlementFee: '',
    ...changes,
  });
}

const longAgo = new Date('2026-11-19T06:00:00Z');

/**
 * @param corrections what the files that are given by path do with a record that an earlier file delivered with other
 *   cells
 */
export async function createIntakeScene(
  corrections: SourceSettings['corrections'] = 'ask',
): Promise<IntakeScene> {
  const database = await createTestDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-intake-'));
  const dataDirectory = path.join(directory, 'data');
  const context = runContext(database.database, dataDirectory, {
    sources: [{ ...sourceDefaults, name: 'local', protocol: 'local', folder: directory, corrections }],
  });
  let sent = 0;
  const send = ({ name, content, modifiedAt = longAgo }: SentFile): string => {
    sent += 1;
    const file = path.join(directory, String(sent), name);
    mkdirSync(path.dirname(file));
    writeFileSync(file, content);
    utimesSync(file, modifiedAt, modifiedAt);
    return file;
  };
  return {
    database,
    dataDirectory,
    storePayments: async (content) => {
      await importPayments(database.database.sql, send({ name: 'payments.csv', content }));
    },
    night: (...files) =>
      runReconciliation(context, { sources: null, files: files.map(send), asOf: null, dryRun: false }),
    rerun: (from, to) => rerunRange(context, { from, to, asOf: null, dryRun: false, fetch: false }),
    end: async () => {
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
