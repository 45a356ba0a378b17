import { createHash } from 'node:crypto';
import { appendAuditEvents, type AuditEvent } from '../db/audit-log/append-audit-events.js';
import type { Tx } from '../db/client.js';
import type { RunOutcome } from '../outcome.js';
import type { RunId } from '../values/ids.js';

/** The event of a run that ended: its files and its counts. */
export function endOfRun(outcome: RunOutcome): AuditEvent {
  const { runId, kind, asOf, status, exitCode, error, files, items } = outcome;
  return {
    action: status === 'completed' ? 'run.completed' : 'run.failed',
    subject: `run ${runId}`,
    details: {
      kind,
      asOf,
      exitCode,
      error: error?.code ?? null,
      files: files.map(({ source, name, sha256, status: state, rows }) => ({
        source,
        name,
        sha256,
        status: state,
        accepted: rows.accepted,
        rejected: rows.rejected,
      })),
      items: { open: items.open, new: items.new, resolved: items.resolved },
    },
  };
}

/** The event of a run that died, added by the run that found it. */
export const abandonedRun = (runId: RunId): AuditEvent => ({
  action: 'run.abandoned',
  subject: `run ${runId}`,
  details: {},
});

/**
 * Records the settings of a run if they differ from those that were recorded last: the values, without secrets, and the
 * names of those that changed. A changed secret is not noticed.
 */
export async function recordSettings(
  tx: Tx,
  author: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const now = JSON.parse(JSON.stringify(settings, withoutSecrets)) as Record<string, unknown>;
  const hash = createHash('sha256').update(JSON.stringify(now)).digest('hex');
  const [last] = await tx<{ details: string }[]>`
    select details from audit_events where action = 'configuration.changed' order by number desc limit 1`;
  const before = last === undefined ? undefined : readRecorded(last.details);
  if (before?.hash === hash) return;
  const changed = Object.keys({ ...before?.settings, ...now }).filter(
    (name) => JSON.stringify(before?.settings[name]) !== JSON.stringify(now[name]),
  );
  const details = { changed: before === undefined ? null : changed, hash, settings: now };
  await appendAuditEvents(tx, author, [
    { action: 'configuration.changed', subject: 'configuration', details },
  ]);
}

interface Recorded {
  readonly hash: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The inverse of what `recordSettings` stores. */
const readRecorded = (details: string) => JSON.parse(details) as Recorded;

const secretNames = /pass|secret|token|key|credential|auth/i;

/**
 * The settings are masked already. What is stored permanently is masked again by the names of settings, and addresses
 * keep only scheme and host: the address of a webhook can be a secret.
 */
function withoutSecrets(name: string, value: unknown): unknown {
  if (typeof value === 'string' && secretNames.test(name)) return '***';
  if (typeof value === 'string' && URL.canParse(value)) return addressOf(new URL(value));
  if (value instanceof Map) return Object.fromEntries(value as Map<string, unknown>);
  if (value instanceof Set) return [...(value as Set<unknown>)];
  if (value instanceof RegExp) return value.source;
  return typeof value === 'bigint' ? value.toString() : value;
}

const addressOf = ({ protocol, host }: URL) => `${protocol}//${host}/***`;
