import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runProgram } from '../../../src/cli/program.js';
import { runCli } from '../../support/cli.js';
import { createTestDatabase } from '../../support/database.js';
import { paymentsFileOf } from '../../support/payment-rows.js';
import { fileOfRows, type Cells } from '../../support/settlement-rows.js';
import { writeMoney } from './payments.js';
import type { DeliveredFile, Settings } from './world.js';

/** What a command said. */
export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A separate recon: a database, two inboxes and a configuration. */
export interface Installation {
  readonly folder: string;
  command(args: readonly string[]): Promise<Said>;
  deliver(file: DeliveredFile): void;
  /** @returns the path of the file */
  write(name: string, text: string): string;
  importPayments(payments: readonly Cells[]): Promise<Said>;
  end(): Promise<void>;
}

const configurationOf = (settings: Settings) => `
settlementDueDays: ${settings.settlementDueDays}
lookbackDays: ${settings.lookbackDays}
timezone: ${settings.timezone}
matching:
  maxPaymentsPerKey: ${settings.maxPaymentsPerKey}
  tolerance: { EUR: ${writeMoney(settings.tolerance)} }
  brandAliases: ${JSON.stringify(settings.brandAliases)}
decisions:
  fourEyesAbove: { EUR: ${writeMoney(settings.fourEyesAbove)} }
sources:
  - { name: north, protocol: local, folder: ./north, timezone: UTC, corrections: ${settings.corrections.north} }
  - { name: south, protocol: local, folder: ./south, timezone: UTC, corrections: ${settings.corrections.south} }
`;

/**
 * @param inProcesses whether each command is a process of the built program; otherwise the same command line is called
 *   within this process, which costs a tenth of the time
 * @param given a migrated database; without it, a new one of the test server
 */
export async function installRecon(
  settings: Settings,
  inProcesses: boolean,
  given?: { readonly url: string; drop(): Promise<void> },
): Promise<Installation> {
  const database = given ?? (await createTestDatabase());
  const folder = mkdtempSync(path.join(tmpdir(), 'recon-oracle-'));
  for (const inbox of ['north', 'south']) mkdirSync(path.join(folder, inbox));
  writeFileSync(path.join(folder, 'recon.config.yaml'), configurationOf(settings));
  const env = {
    RECON_DATA_DIR: path.join(folder, 'data'),
    RECON_DATABASE_URL: database.url,
    RECON_USER: 'oracle',
  };
  const command = (args: readonly string[]): Promise<Said> =>
    inProcesses ? runCli(args, { cwd: folder, env, timeoutMs: 300_000 }) : callProgram(args, folder, env);
  let imports = 0;
  return {
    folder,
    command,
    deliver: (file) => {
      const target = path.join(folder, file.source, file.name);
      writeFileSync(target, fileOfRows(file.rows));
      // Old enough not to be taken for a file that is still being written.
      utimesSync(target, new Date('2026-11-01T06:00:00Z'), new Date('2026-11-01T06:00:00Z'));
    },
    write: (name, content) => {
      const target = path.join(folder, name);
      writeFileSync(target, content);
      return target;
    },
    importPayments: (payments) => {
      const target = path.join(folder, `payments-${(imports += 1)}.csv`);
      writeFileSync(target, paymentsFileOf(payments));
      return command(['payments', 'import', target, '--json']);
    },
    end: async () => {
      rmSync(folder, { recursive: true, force: true });
      await database.drop();
    },
  };
}

async function callProgram(
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<Said> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(stdout), text(stderr)]);
  const { signal } = new AbortController();
  const code = await runProgram(args, { stdout, stderr, cwd, environment, signal });
  stdout.end();
  stderr.end();
  const [printed, logged] = await said;
  return { code, stdout: printed, stderr: logged };
}
