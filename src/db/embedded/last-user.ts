import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { processIdentity } from './process-identity.js';
import { userSession, usersLock } from './register-user.js';

/** The session of a killed process exists until the server notices that its socket is closed. */
const noticeWithinMs = 10_000;
const betweenLooksMs = 50;

/**
 * Whether no other process uses the server. The caller holds the cluster's lock, so no new one appears meanwhile.
 *
 * @returns undefined if the session was lost: the server has stopped, is stopping, or restarts itself
 */
export async function isLastUser(user: postgres.Sql): Promise<boolean | undefined> {
  try {
    await user`select pg_advisory_unlock_shared(${usersLock}::bigint)`;
    const deadline = performance.now() + noticeWithinMs;
    while (performance.now() < deadline) {
      const [answer] = await user<
        { last: boolean }[]
      >`select pg_try_advisory_lock(${usersLock}::bigint) as last`;
      if (answer?.last === true) return true;
      if (await hasLivingUsers(user)) return false;
      await sleep(betweenLooksMs);
    }
    return false;
  } catch {
    return undefined;
  }
}

/**
 * Whether another living process uses the server. If a process id was reused meanwhile, its old process counts as
 * living: then the server keeps running for the next user, which does no harm.
 */
async function hasLivingUsers(user: postgres.Sql): Promise<boolean> {
  const others = await user<{ name: string }[]>`select application_name as name from pg_stat_activity
    where pid <> pg_backend_pid() and starts_with(application_name, ${userSession})`;
  return others.some(({ name }) => processIdentity(Number(name.slice(userSession.length))) !== undefined);
}
