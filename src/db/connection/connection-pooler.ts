import { ReconError } from '../../errors.js';
import type { Reader, Sql } from '../client.js';

/** How often both orders are tried: another client may take the session that would show the pooler. */
const rounds = 2;

/**
 * Refuses a connection pooler that cannot be used. Costs one statement if there is none.
 *
 * @param openSession opens another session, which is closed here
 * @throws ReconError DATABASE_UNREACHABLE
 */
export async function requireSuitablePooler(sql: Sql, openSession: () => Sql): Promise<void> {
  if (!(await askBackend(sql)).isPooled) return;
  const session = openSession();
  try {
    await requireOwnBackend(session, sql);
  } finally {
    await session.end({ timeout: 5 });
  }
  const [settings] = await sql<{ searchPath: string; lockTimeout: string }[]>`
    select current_setting('search_path') as "searchPath", current_setting('lock_timeout') as "lockTimeout"`;
  // Without a limit, a lock of another session would block a command without end.
  if (settings?.searchPath !== 'public' || settings.lockTimeout === '0') throw settingsDropped();
}

/**
 * Refuses a pooler that assigns server sessions per transaction or statement. There, the lock of a run would belong to
 * the next client, and temporary tables too. The signs are that one server session serves two of our connections, and
 * that one of our connections is served by two.
 *
 * Two connections that take turns may get their former server sessions each time. So their transactions overlap, and
 * end in both orders: a pooler that assigns the session that was free last, or the one that was free longest, then
 * gives one of them another.
 *
 * @throws ReconError DATABASE_UNREACHABLE
 */
export async function requireOwnBackend(session: Sql, pool: Sql): Promise<void> {
  const own = new Set<number>();
  const others = new Set<number>();
  const ask = async (place: Reader, seen: Set<number>) => {
    const { pid, isPooled } = await askBackend(place);
    seen.add(pid);
    if (own.size > 1 || [...others].some((other) => own.has(other))) throw sharesSessions();
    return isPooled;
  };
  // If there is only one server session, two transactions would wait for each other.
  const isPooled = await ask(session, own);
  await ask(pool, others);
  for (let round = 0; isPooled && round < rounds; round += 1) {
    await session.begin(async (outer) => {
      await ask(outer, own);
      await pool.begin((inner) => ask(inner, others));
    });
    await ask(session, own);
    await pool.begin(async (outer) => {
      await ask(outer, others);
      await session.begin((inner) => ask(inner, own));
    });
    await ask(session, own);
  }
}

/**
 * Which session of the server serves a connection. The statement is simple: the driver would prepare it, and repeat it
 * if the next session does not have it.
 */
async function askBackend(place: Reader): Promise<{ readonly pid: number; readonly isPooled: boolean }> {
  const rows = await place<{ pid: number }[]>`select pg_backend_pid() as pid`.simple();
  const [row] = rows;
  if (row === undefined) throw new Error('the server did not say which session this is');
  // A pooler gives each of its clients another number than that of the session that serves it.
  return { pid: row.pid, isPooled: rows.state.pid !== row.pid };
}

const sharesSessions = () =>
  new ReconError(
    'DATABASE_UNREACHABLE',
    'RECON_DATABASE_URL leads to a connection pooler that shares sessions between transactions, which cannot hold the lock of a run or its temporary tables. Name the server itself, or let the pooler keep a session per connection (pool_mode = session).',
  );

const settingsDropped = () =>
  new ReconError(
    'DATABASE_UNREACHABLE',
    'RECON_DATABASE_URL leads to a connection pooler that drops settings of recon, search_path and lock_timeout at least. Store them for the account on the server ("A connection pooler" in the runbook has the statements), or name the server itself.',
  );

/** What PgBouncer answers to a session with settings that its ignore_startup_parameters does not contain. */
const refusedByPooler = /unsupported startup parameter/;

/** The error of a pooler that refuses the settings of recon; undefined for any other. */
export function explainRefusal(thrown: unknown): ReconError | undefined {
  if (!(thrown instanceof Error) || !refusedByPooler.test(thrown.message)) return undefined;
  return new ReconError(
    'DATABASE_UNREACHABLE',
    `RECON_DATABASE_URL leads to a connection pooler that refuses the settings of recon (${thrown.message}). "A connection pooler" in the runbook has the lines of its configuration; or name the server itself.`,
    { cause: thrown },
  );
}
