import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import type { Tx } from '../db/client.js';
import { inPooledTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import type { RunOutcome } from '../outcome.js';
import { endOfRun } from './audit-run.js';
import { requestDeliveries } from './deliver-reports.js';
import type { RunContext } from './run-context.js';
import type { RunLock } from './run-lock.js';
import type { StageTimes } from './timed.js';

/** What is stored of a run when it ends. */
interface Ending {
  readonly outcome: RunOutcome;
  readonly stages: StageTimes;
}

type EndStatus = 'completed' | 'failed' | 'interrupted';

/** A decision about 600,000 items locks the end of the audit log for some seconds. */
const closeTimeout = '60s';

/**
 * Closes the row of a run with its outcome, adds its event to the audit log, and notes the deliveries of its report, in
 * one transaction. The clock may have been set back since the start; a run never ends before it began.
 *
 * @throws ReconError RUN_REPLACED if another run has taken over, errors of the database
 */
export async function closeRun(
  context: RunContext,
  lock: RunLock,
  status: EndStatus,
  { outcome, stages }: Ending,
): Promise<void> {
  const close = () =>
    inPooledTransaction(
      context.database.sql,
      (tx) => closeRow(tx, context, { status, token: lock.fence.token, outcome, stages }),
      closeTimeout,
    );
  const isClosed = await close().catch((thrown: unknown) => {
    if (!(thrown instanceof ReconError) || thrown.code !== 'DATABASE_FAILED') throw thrown;
    return close();
  });
  if (!isClosed) {
    throw new ReconError(
      'RUN_REPLACED',
      `Run ${outcome.runId} was replaced by another before it could be closed.`,
    );
  }
}

/**
 * May be called again after a failure: it also finds a row that is already closed with this status.
 *
 * @returns whether the run was still the owner of its row
 */
async function closeRow(
  tx: Tx,
  context: RunContext,
  { status, token, outcome, stages }: Ending & { readonly status: EndStatus; readonly token: bigint },
): Promise<boolean> {
  const [closed] = await tx<{ was: string }[]>`
    with before as (select id, status from runs where id = ${outcome.runId}
      and fence_token = ${token} and status in ('running', ${status}) for update)
    update runs set status = ${status},
      finished_at = greatest(started_at, ${new Date(context.clock()).toISOString()}::timestamptz),
      exit_code = ${outcome.exitCode}, outcome = ${tx.json(outcome as never)},
      stages = ${tx.json(Object.fromEntries(stages))},
      report_directory = ${outcome.reports?.directory ?? null},
      error_code = ${outcome.error?.code ?? null}, error_message = ${outcome.error?.message ?? null}
    from before where runs.id = before.id returning before.status as was`;
  if (closed?.was === 'running') {
    await requestDeliveries(tx, context, outcome.reports);
    await appendAuditEvents(tx, context.author, [endOfRun(outcome)]);
  }
  return closed !== undefined;
}

/**
 * Closes a run that failed or was interrupted. The caller needs the original failure, so a database that cannot be
 * reached does not replace it: then the next run finds this one abandoned.
 */
export async function closeFailedRun(
  context: RunContext,
  lock: RunLock,
  signal: AbortSignal,
  ending: Ending,
): Promise<void> {
  const { outcome } = ending;
  const interrupted = signal.aborted && outcome.error?.code === 'RUN_INTERRUPTED';
  try {
    await closeRun(context, lock, interrupted ? 'interrupted' : 'failed', ending);
  } catch {
    context.logger.warn('The run could not be marked as failed; the next run will find it abandoned.');
  }
}
