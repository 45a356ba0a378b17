import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { messageOf } from '../../errors.js';
import { sqlStateOf } from '../database-errors.js';
import { serverUser } from './access-rules.js';
import { fullDisk, refusedProcess } from './cause-of-loss.js';
import { embeddedError } from './embedded-error.js';
import type { Postmaster } from './postmaster-file.js';
import { serverPort } from './server-process.js';

/** The one database of the embedded server. */
export const databaseName = 'recon';
/** Prefix of the name of a session that marks the server as used; the process id follows. */
export const userSession = 'recon user ';
/** Every user of the server holds this lock in shared mode; a process that gets it exclusively is the last user. */
export const usersLock = '7236501190';

/** The server, and how clients reach it. */
export interface ReachedServer {
  readonly server: Postmaster;
  readonly host: string;
  readonly cluster: string;
}

/**
 * A session that marks the server as used as long as it lasts.
 *
 * @param lost called when its connection has ended, also when the caller ended it
 * @throws ReconError DATABASE_FULL, DATABASE_EMBEDDED
 */
export async function registerUser(
  { server, host, cluster }: ReachedServer,
  lost: () => void,
): Promise<postgres.Sql> {
  const user = postgres({
    host,
    port: serverPort,
    database: 'postgres',
    username: serverUser,
    password: '',
    ssl: false,
    max: 1,
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: 30,
    fetch_types: false,
    onnotice: () => undefined,
    onclose: lost,
    connection: { application_name: `${userSession}${process.pid}` },
  });
  try {
    await whenRecovered(() => user`select pg_advisory_lock_shared(${usersLock}::bigint)`);
    const [found] = await user`select 1 from pg_database where datname = ${databaseName}`;
    if (found === undefined) await user.unsafe(`create database ${databaseName}`);
    return user;
  } catch (thrown) {
    await user.end({ timeout: 0 });
    throw (
      fullDisk(cluster) ??
      refusedProcess(cluster) ??
      embeddedError(
        `The embedded database (process ${server.processId}) cannot be used through ${host}: ${messageOf(thrown)}`,
      )
    );
  }
}

const recoversWithinMs = 60_000;
const betweenLooksMs = 50;
const isRecovering = '57P03';

/**
 * When one of its sessions is killed, as by the kernel for lack of memory, a server restarts itself and refuses
 * meanwhile.
 */
async function whenRecovered<T>(connect: () => PromiseLike<T>): Promise<T> {
  const deadline = performance.now() + recoversWithinMs;
  for (;;) {
    try {
      return await connect();
    } catch (thrown) {
      if (sqlStateOf(thrown) !== isRecovering || performance.now() > deadline) throw thrown;
      await sleep(betweenLooksMs);
    }
  }
}
