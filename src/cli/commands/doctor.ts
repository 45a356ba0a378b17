import { constants } from 'node:fs';
import { access, mkdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { checkSource } from '../../intake/fetch-source.js';
import { ReconError, errorCatalogue, exitCodes, messageOf, type ErrorCode } from '../../errors.js';
import { verifyReports } from '../../reporting/verify-reports.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../program.js';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** One thing that was looked at. */
interface Finding {
  readonly subject: string;
  readonly ok: boolean;
  readonly message: string;
  readonly code: ErrorCode | null;
}

/** Looks at everything a night needs, one thing failing never hides another. */
export const doctor: RunCommand = async (context, _args, options) => {
  const findings: Finding[] = [];
  const check = async (subject: string, code: ErrorCode, work: () => Promise<string>): Promise<void> => {
    findings.push(await look(subject, code, work));
  };
  await check('configuration', 'CONFIG_INVALID', () => Promise.resolve(describeConfig(context)));
  if (findings.every((finding) => finding.ok)) {
    await check('data directory', 'DISK_FAILED', () => checkDataDirectory(context.config().dataDirectory));
    await check('database', 'DATABASE_UNREACHABLE', () => describeDatabase(context));
    for (const source of context.config().sources) {
      await check(`source ${source.name}`, 'SOURCE_UNREACHABLE', () =>
        checkSource(source, { random: Math.random, sleep: pause, signal: context.signal }),
      );
    }
    if (options['reports'] === true) findings.push(...(await checkReports(context)));
  }
  context.print(findings, () => findings.map(line).join('\n'));
  const codes = findings.map(({ code }) => (code === null ? exitCodes.done : errorCatalogue[code].exitCode));
  return Math.max(...codes);
};

async function look(subject: string, fallback: ErrorCode, work: () => Promise<string>): Promise<Finding> {
  try {
    return { subject, ok: true, message: await work(), code: null };
  } catch (thrown) {
    const code = thrown instanceof ReconError ? thrown.code : fallback;
    return { subject, ok: false, message: `${messageOf(thrown)} ${errorCatalogue[code].advice}`, code };
  }
}

function line({ subject, ok, message }: Finding): string {
  return `${ok ? 'ok   ' : 'WRONG'}  ${subject}: ${message}`;
}

function describeConfig(context: CommandContext): string {
  const { file, sources } = context.config();
  return `${file ?? 'no file, defaults'}; ${sources.length} sources`;
}

async function checkDataDirectory(directory: string): Promise<string> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
    const { bavail, bsize } = await statfs(directory);
    return `${directory} can be written, ${Math.floor((bavail * bsize) / 2 ** 30)} GB free`;
  } catch (thrown) {
    throw new ReconError('DISK_FAILED', `${directory} cannot be written: ${messageOf(thrown)}.`, {
      cause: thrown,
    });
  }
}

async function describeDatabase(context: CommandContext): Promise<string> {
  const { sql } = await context.database();
  const [row] = await sql<{ version: string; payments: bigint; records: bigint; files: bigint }[]>`
    select current_setting('server_version') as version, (select count(*) from payments) as payments,
      (select count(*) from settlement_records) as records, (select count(*) from settlement_files) as files`;
  const kind = context.config().databaseUrl === null ? 'embedded PostgreSQL' : 'PostgreSQL';
  return `${kind} ${row?.version ?? ''}; ${row?.payments ?? 0n} payments, ${row?.records ?? 0n} records of ${row?.files ?? 0n} files`;
}

async function checkReports(context: CommandContext): Promise<Finding[]> {
  const directory = path.join(context.config().dataDirectory, 'reports');
  const verified = await verifyReports(directory);
  if (verified.length === 0)
    return [{ subject: 'reports', ok: true, message: 'there are none yet', code: null }];
  return verified.map(({ folder, ok, problems }) => ({
    subject: `reports ${folder}`,
    ok,
    message: ok ? 'as they were published' : problems.join('; '),
    code: ok ? null : 'DISK_FAILED',
  }));
}
