import { ReconError, type ErrorCode } from '../../errors.js';
import { readPackageVersion } from '../../package-version.js';
import {
  connectionsOfWorker,
  listWorkers,
  silentAfterSeconds,
  type ListedWorker,
  type WorkerList,
} from '../../worker/worker-list.js';
import type { CommandContext } from '../command-context.js';

/** A run opens as many connections as a worker that loads four files at once, which is the most by default. */
const connectionsOfRun = connectionsOfWorker(4);

/**
 * Whether the workers that the database knows can help the runs. Null if there is none: a run needs no worker.
 *
 * @throws ReconError ARCHIVE_NOT_SHARED, WORKER_UNUSABLE
 */
export async function describeWorkers(context: CommandContext): Promise<string | null> {
  const { sql } = await context.database();
  return judgeWorkers(await listWorkers(sql), readPackageVersion().version);
}

/**
 * What is wrong with workers, and what is only worth a look. Pure.
 *
 * @throws ReconError ARCHIVE_NOT_SHARED, WORKER_UNUSABLE
 */
export function judgeWorkers(
  { workers, lateFiles, connections }: WorkerList,
  version: string,
): string | null {
  const there = workers.filter(({ silentSeconds }) => silentSeconds <= silentAfterSeconds);
  const problems = there.flatMap((worker) => problemsOf(worker, version));
  const needed = there.reduce(
    (sum, { filesAtOnce }) => sum + connectionsOfWorker(filesAtOnce),
    connectionsOfRun,
  );
  if (there.length > 0 && needed > connections) {
    problems.push({
      code: 'WORKER_UNUSABLE',
      text: `They and a run may open ${needed} connections at once, and the database allows ${connections} (max_connections, or a limit of the account or of the database).`,
    });
  }
  const warnings = [
    ...workers.filter((worker) => !there.includes(worker)).map(silent),
    ...lateFiles.map(
      ({ name, runId }) =>
        `Warning: nobody loads ${name} of run ${runId}: the lease of its worker has ended. The run takes the file, or the next run does.`,
    ),
  ];
  if (problems.length > 0) {
    const [first] = problems;
    const code = problems.every((problem) => problem.code === first?.code) ? first?.code : undefined;
    const text = [...problems.map(({ text }) => text), ...warnings].join('\n');
    throw new ReconError(code ?? 'WORKER_UNUSABLE', text);
  }
  if (workers.length === 0 && lateFiles.length === 0) return null;
  const files = there.reduce((sum, { filesAtOnce }) => sum + filesAtOnce, 0);
  const counted = `${there.length} ${there.length === 1 ? 'worker is' : 'workers are'} there`;
  const able = there.length === 0 ? '' : ` and can load ${files} ${files === 1 ? 'file' : 'files'} at once`;
  return [`${counted}${able}`, ...warnings].join('\n');
}

const nameOf = ({ host, processId }: ListedWorker) => `The worker on ${host} (process ${processId})`;

function problemsOf(worker: ListedWorker, version: string): { code: ErrorCode; text: string }[] {
  const problems: { code: ErrorCode; text: string }[] = [];
  if (worker.version !== version) {
    problems.push({
      code: 'WORKER_UNUSABLE',
      text: `${nameOf(worker)} has version ${worker.version} and joins no run of version ${version}.`,
    });
  }
  if (worker.archiveProblem !== null) {
    problems.push({
      code: 'ARCHIVE_NOT_SHARED',
      text: `${nameOf(worker)} cannot read the archive: ${worker.archiveProblem}`,
    });
  }
  return problems;
}

function silent(worker: ListedWorker): string {
  const { silentSeconds } = worker;
  const since =
    silentSeconds < 120 ? `${silentSeconds} seconds` : `${Math.floor(silentSeconds / 60)} minutes`;
  return `Warning: ${nameOf(worker)} was last seen ${since} ago: it was killed, is suspended, or cannot reach the database. What it loaded is taken by others; this line disappears after a day.`;
}
