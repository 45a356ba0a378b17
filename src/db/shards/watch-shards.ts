import { setTimeout as sleep } from 'node:timers/promises';
import { ReconError } from '../../errors.js';
import type { Sql } from '../client.js';
import { isCausedBy, sqlStateOf } from '../database-errors.js';
import { listShards, type ShardPlace } from './shard-state.js';

/** Ends statements that wait for a shard that does not answer. */
export interface ShardWatch {
  /** The same error, or SHARD_UNREACHABLE if it is that of such a statement. */
  explain(error: ReconError): ReconError;
  end(): void;
}

const usualTimes = {
  /** How long a statement may wait for shards until they are asked whether they answer anybody. */
  askAfterMs: 20_000,
  /** How long a shard may take to answer a question that costs nothing. */
  answerWithinMs: 60_000,
};

/**
 * Watches the statements of a program that wait for shards. A shard may work on a statement for hours, and meanwhile
 * answers other sessions. One that is suspended answers nobody, but its kernel keeps the connections, so the home
 * server waits for it without end. Then its statements are cancelled. Nothing is watched without shards, and on a home
 * server before 17, which cannot end such a statement: it would wait for the shard to accept that.
 *
 * @param connect opens another session under the name of the program
 */
export function watchShards(connect: () => Sql, times = usualTimes): ShardWatch {
  const ended = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal: ended.signal });
  /** The shards that have not answered yet, and since when they are asked. */
  const silent = new Map<string, number>();

  const ask = async (shard: ShardPlace) => {
    if (!silent.has(shard.name)) silent.set(shard.name, performance.now());
    if (await answersWithin(connect(), shard, pause(times.answerWithinMs))) silent.delete(shard.name);
  };
  /** @returns whether there is something to watch */
  const look = async (session: Sql): Promise<boolean> => {
    if (!(await canBeWatched(session))) return false;
    if (silent.size === 0 && !(await isWaiting(session, times.askAfterMs))) return true;
    await Promise.all((await listShards(session)).map(ask));
    // Also those of other programs: they have begun to ask by then, and therefore know why.
    if (silent.size > 0) await cancelWaiting(session, times.answerWithinMs / 2);
    return true;
  };
  let session: Sql | undefined;
  const watch = async () => {
    let isWatched = true;
    while (isWatched) {
      await pause(times.askAfterMs);
      session = connect();
      // If the home server cannot be reached, the statements fail without the watch.
      isWatched = await look(session).catch(() => true);
      await session.end({ timeout: 0 });
    }
  };
  // A pause throws when it ends.
  watch().catch(() => undefined);
  return {
    explain: (error) => (silent.size > 0 && isCancelled(error) ? unreachable(silent, error) : error),
    end: () => {
      ended.abort();
      // A home server that says nothing either must not keep the program.
      void session?.end({ timeout: 0 });
    },
  };
}

async function canBeWatched(session: Sql): Promise<boolean> {
  const [row] = await session<{ can: boolean }[]>`
    select to_regclass('public.shards') is not null and current_setting('server_version_num')::integer >= 170000 as can`;
  return row?.can === true;
}

/**
 * Whether a shard answers a new session of the home server. One that refuses it answers, too; but the question may also
 * have been cancelled by another program that watches.
 */
async function answersWithin(session: Sql, { position }: ShardPlace, limit: Promise<void>): Promise<boolean> {
  const answer = session`select from ${session(`shard_fence_${position}`)}`.then(
    () => true,
    (thrown: unknown) => sqlStateOf(thrown) !== '57014',
  );
  try {
    return await Promise.race([answer, limit.then(() => false)]);
  } finally {
    await session.end({ timeout: 0 });
  }
}

/** The sessions of the program whose statement has waited for shards: for one, or for the next of several. */
const waitingSessions = (session: Sql, forMs: number) => session`
  from pg_stat_activity
  where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
    and application_name = current_setting('application_name') and state = 'active'
    and (wait_event_type = 'Extension' or wait_event = 'AppendReady')
    and query_start < clock_timestamp() - ${forMs} * interval '1 ms'`;

async function isWaiting(session: Sql, forMs: number): Promise<boolean> {
  return (await session`select ${waitingSessions(session, forMs)} limit 1`).length > 0;
}

async function cancelWaiting(session: Sql, forMs: number): Promise<void> {
  await session`select pg_cancel_backend(pid) ${waitingSessions(session, forMs)}`;
}

const isCancelled = (error: ReconError) => isCausedBy(error, /^57014$/);

function unreachable(silent: ReadonlyMap<string, number>, error: ReconError): ReconError {
  const which = `${silent.size === 1 ? 'Shard' : 'Shards'} ${[...silent.keys()].join(', ')}`;
  const seconds = Math.round((performance.now() - Math.min(...silent.values())) / 1000);
  return new ReconError(
    'SHARD_UNREACHABLE',
    `${which} did not answer the home server for ${seconds} s, so the statement that waited was cancelled; nothing of this step was stored.`,
    { cause: error },
  );
}
