import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toReconError } from '../../db/database-errors.js';
import { ReconError, errorCatalogue, messageOf, type ErrorCode } from '../../errors.js';
import { checkSource } from '../../intake/fetch/check-source.js';
import { describeOpenPgpKeys } from '../../intake/packed/openpgp-keys.js';
import { RefusedLogins } from '../../remote/refused-logins.js';
import { verifyReports } from '../../reporting/folder/verify-reports.js';
import { publishedAsOf } from '../../reporting/folder/published-as-of.js';
import { commandToWriteAgain } from '../../run/report-folder-name.js';
import { checkShards, type CheckedShard } from '../../shards/describe-shards.js';
import { isGiven, textOption, usageError } from '../command-arguments.js';
import type { CommandContext, Paint } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { checkAlertCommand } from '../doctor/check-alert-command.js';
import { checkFolder, foldersOf } from '../doctor/check-folders.js';
import { checkTextfile } from '../doctor/check-textfile.js';
import { describeArchive } from '../doctor/describe-archive.js';
import { describeClock } from '../doctor/describe-clock.js';
import { describeDatabase, describeSchema } from '../doctor/describe-database.js';
import { describeDelivery } from '../doctor/describe-delivery.js';
import { describeSince, durationOption } from '../doctor/describe-since.js';
import { configuresGateway, describeGateway } from '../doctor/describe-gateway.js';
import { describeExpected } from '../doctor/describe-expected.js';
import { describeWorkers } from '../doctor/describe-workers.js';
import { describeWriting } from '../doctor/describe-writing.js';
import { checkPermissions } from '../doctor/check-permissions.js';
import { describeShard } from '../doctor/describe-shard.js';
import { programEnvironment } from '../open-alerts.js';
import { counted } from '../../values/counted.js';
import { usualLimit } from '../list-table.js';
import { printableLines } from '../text/printable.js';
import { showHostKey } from './show-host-key.js';

/** One check and its result. */
interface Examined {
  readonly subject: string;
  readonly ok: boolean;
  readonly message: string;
  /** What is wrong, and what to do; null if nothing is wrong. */
  readonly code: ErrorCode | null;
  readonly advice: string | null;
}

/** Checks everything that a run needs; a failed check never hides another. */
export const doctor: RunCommand = async (context, _args, options) => {
  const server = textOption(options, 'showHostKey');
  const thorough = isGiven(options, 'reports');
  const sinceMs = durationOption(options, 'since');
  if (server !== null) {
    if (thorough || sinceMs !== null)
      throw usageError(
        '--show-host-key only shows host keys; it cannot be combined with --reports or --since.',
      );
    return showHostKey(context, server);
  }
  const checks = await checkAll(context, { thorough, sinceMs });
  const exitCode = Math.max(...checks.map(({ code }) => (code === null ? 0 : errorCatalogue[code].exitCode)));
  context.print(
    { exitCode, checks },
    (paint) => checks.map((each) => line(each, paint)).join('\n'),
    checks.flatMap(({ subject, message, code }) =>
      code === null ? [] : [`${subject}: ${firstLines(message)} (${code})`],
    ),
  );
  return exitCode;
};

/** What is checked in addition to everything that a run needs. */
interface Extent {
  /** Whether reports and archive are compared with their hashes. */
  readonly thorough: boolean;
  /** Within which time a run must have been completed; null if none need be. */
  readonly sinceMs: number | null;
}

/** The checks in their order. What needs the configuration or the database is left out where that failed. */
async function checkAll(context: CommandContext, extent: Extent): Promise<readonly Examined[]> {
  const checks: Examined[] = [];
  const examine: Examine = async (subject, fallback, work) => {
    checks.push(await check(subject, fallback, work));
    return checks.at(-1)?.ok === true;
  };
  await examine('node', 'INTERNAL_ERROR', () => `version ${process.versions.node}`);
  if (!(await examine('configuration', 'CONFIG_INVALID', () => describeConfig(context)))) return checks;
  const { dataDirectory, sources, reports } = context.config();
  for (const directory of foldersOf(dataDirectory)) {
    await examine(`folder ${directory}`, 'DISK_FAILED', () => checkFolder(directory, sources.length > 0));
  }
  await examine('permissions', 'DISK_FAILED', () => checkPermissions(context.config()));
  await examinePrograms(context, examine);
  if (configuresGateway(context.config())) {
    await examine('gateway', 'CONFIG_INVALID', () => describeGateway(context.config()));
  }
  if (await examine('database', 'DATABASE_FAILED', () => describeDatabase(context))) {
    await examineStored(context, examine, extent);
  }
  for (const target of reports.deliverTo) {
    await examine(`delivery to ${target.name}`, 'SOURCE_UNREACHABLE', () =>
      describeDelivery(context, target),
    );
  }
  await examineSources(context, examine);
  if (!extent.thorough) return checks;
  const directory = path.join(dataDirectory, 'reports');
  const verdicts = await checkReports(directory).catch((thrown: unknown) => [failed('reports', thrown)]);
  return [...checks, ...verdicts];
}

/** Makes one check. Returns whether it found nothing wrong. */
type Examine = (
  subject: string,
  fallback: ErrorCode,
  work: () => Promise<string> | string,
) => Promise<boolean>;

/** What the database says, and what belongs to it: shards, archive, workers, runs, expected deliveries. */
async function examineStored(
  context: CommandContext,
  examine: Examine,
  { thorough, sinceMs }: Extent,
): Promise<void> {
  await examine('schema', 'DATABASE_SCHEMA', () => describeSchema(context));
  await examine('writing', 'DATABASE_FAILED', () => describeWriting(context));
  await examine('clock', 'DATABASE_FAILED', () => describeClock(context));
  for (const shard of await shardsToCheck(context))
    await examine(`shard ${shard.name}`, 'SHARD_UNREACHABLE', () => describeShard(shard));
  await examine('archive', 'DISK_FAILED', () => describeArchive(context, thorough));
  await examineWorkers(context, examine);
  if (sinceMs !== null) await examine('last run', 'RUN_MISSING', () => describeSince(context, sinceMs));
  for (const source of context.config().sources.filter(({ expected }) => expected.length > 0)) {
    await examine(`expected from ${source.name}`, 'DATABASE_FAILED', () => describeExpected(context, source));
  }
}

async function examineSources({ config, signal }: CommandContext, examine: Examine): Promise<void> {
  const refusedLogins = new RefusedLogins();
  for (const source of config().sources) {
    const { name, openpgp } = source;
    if (openpgp !== null)
      await examine(`openpgp of ${name}`, 'FILE_DECRYPTION_FAILED', () =>
        describeOpenPgpKeys(openpgp, Date.now()),
      );
    await examine(`source ${name}`, 'SOURCE_UNREACHABLE', () =>
      checkSource(source, {
        clock: Date.now,
        random: Math.random,
        sleep: async (ms) => {
          await sleep(ms, undefined, { signal });
        },
        signal,
        refusedLogins,
      }),
    );
  }
}

/** What a run only uses at its end, and whose failure it only logs. Nothing is started, and nothing is written. */
async function examinePrograms(context: CommandContext, examine: Examine): Promise<void> {
  const { alerts, metrics, placeOf } = context.config();
  const { command } = alerts;
  if (command !== null)
    await examine('alerts.command', 'CONFIG_INVALID', () =>
      checkAlertCommand(command, {
        searchPath: programEnvironment(context).PATH,
        place: placeOf(['alerts', 'command', 0]),
      }),
    );
  const { textfile } = metrics;
  if (textfile !== null)
    await examine('metrics.textfile', 'DISK_FAILED', () =>
      checkTextfile(textfile, placeOf(['metrics', 'textfile'])),
    );
}

/** Without workers there is nothing to say. */
async function examineWorkers(context: CommandContext, examine: Examine): Promise<void> {
  const found = await describeWorkers(context).catch((thrown: unknown) => ({ thrown }));
  if (found === null) return;
  await examine('workers', 'DATABASE_FAILED', () => {
    if (typeof found === 'object') throw found.thrown;
    return found;
  });
}

async function check(
  subject: string,
  fallback: ErrorCode,
  work: () => Promise<string> | string,
): Promise<Examined> {
  try {
    return { subject, ok: true, message: await work(), code: null, advice: null };
  } catch (thrown) {
    return failed(subject, thrown, fallback);
  }
}

function failed(subject: string, thrown: unknown, fallback: ErrorCode = 'DISK_FAILED'): Examined {
  const known = thrown instanceof ReconError ? thrown : toReconError(thrown);
  const code = known?.code ?? fallback;
  const { advice } = errorCatalogue[code];
  return { subject, ok: false, message: known?.message ?? messageOf(thrown), code, advice };
}

function line({ subject, ok, message, code, advice }: Examined, paint: Paint): string {
  const verdict = ok ? paint('good', 'ok   ') : paint('bad', 'WRONG');
  const text = printableLines(firstLines(message)).replaceAll('\n', '\n         ');
  return `${verdict}  ${subject}: ${text}${advice === null ? '' : `\n       ${advice} (${code ?? ''})`}`;
}

/** A lost archive or folder of reports is as many faults as files. A person needs the first, and their number. */
function firstLines(message: string): string {
  const lines = message.split('\n');
  const hidden = lines.length - usualLimit;
  if (hidden < 2) return message;
  return [
    ...lines.slice(0, usualLimit),
    `… and ${hidden} more lines, which \`recon doctor --json\` has too.`,
  ].join('\n');
}

function describeConfig(context: CommandContext): string {
  const { file, sources, warnings } = context.config();
  return [`${file ?? 'no file, the defaults'}; ${counted(sources.length, 'source')}`, ...warnings].join('\n');
}

/** None if the database itself is not in order, which another check reports. */
async function shardsToCheck(context: CommandContext): Promise<readonly CheckedShard[]> {
  const { sql } = await context.database();
  return checkShards(sql).catch(() => []);
}

async function checkReports(directory: string): Promise<Examined[]> {
  const verdicts = await verifyReports(directory);
  if (verdicts.length === 0) {
    return [{ subject: 'reports', ok: true, message: 'there are none yet', code: null, advice: null }];
  }
  return Promise.all(
    verdicts.map(async ({ folder, ok, problems }): Promise<Examined> => {
      const subject = `reports ${folder}`;
      if (ok) return { subject, ok, message: 'as they were published', code: null, advice: null };
      const advice = await howToWriteAgain(directory, folder);
      return { subject, ok, message: problems.join('\n'), code: 'DISK_FAILED', advice };
    }),
  );
}

/** A report can be made again from what is stored, so no backup is needed for it. */
async function howToWriteAgain(directory: string, folder: string): Promise<string> {
  // What cannot be read was reported as a problem of the folder.
  const asOf = await publishedAsOf(path.join(directory, folder)).catch(() => null);
  const command = commandToWriteAgain(folder, asOf);
  if (command === undefined) return errorCatalogue.DISK_FAILED.advice;
  const date = command.endsWith('DATE') ? ' DATE is the day that the report was made for.' : '';
  return `\`${command}\` replaces this folder with a report of what is stored now; copy it first if you need it.${date}`;
}
