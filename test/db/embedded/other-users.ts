import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

/** The account that many daemons share. */
export const nobody = { uid: 65_534, gid: 65_534 };
/** An ordinary user: `daemon`, which exists on every system. */
export const someone = { uid: 1, gid: 1 };

/** The result of something that another user tried. */
export interface Attempt {
  readonly code: number | null;
  readonly said: string;
}

/** Runs a script of Node as another user. */
export function attempt(as: { uid: number; gid: number }, script: string, ...args: string[]): Attempt {
  const end = spawnSync(process.execPath, ['-e', script, ...args], {
    ...as,
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
    timeout: 30_000,
  });
  return { code: end.status, said: end.stdout + end.stderr };
}

const client = JSON.stringify(createRequire(import.meta.url).resolve('postgres'));

/** Connects as the superuser, as psql would. */
export function connectAs(as: { uid: number; gid: number }, host: string, user = 'recon'): Attempt {
  return attempt(
    as,
    `const sql = require(${client})({ host: process.argv[1], username: process.argv[2], database: 'postgres', password: '', max: 1 });
     sql\`select current_setting('is_superuser') as answer\`.then(
       (rows) => console.log('superuser ' + rows[0].answer),
       (error) => console.log('refused ' + error.code + ' ' + error.message),
     ).finally(() => sql.end({ timeout: 1 }));`,
    host,
    user,
  );
}

/** A running process named `postgres` that is not a database server and must not be ended. */
export function startVictim(folder: string, as: { uid: number; gid: number }, cwd = '/'): ChildProcess {
  const program = path.join(folder, 'postgres');
  copyFileSync(execFileSync('which', ['sleep'], { encoding: 'utf8' }).trim(), program);
  chmodSync(program, 0o755);
  return spawn(program, ['300'], { ...as, cwd, stdio: 'ignore' });
}

/** The text of a `postmaster.pid` that names a process and a socket directory. */
export function postmasterFile(processId: number, socketDirectory: string): string {
  const ticks = Number(readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1]?.split(' ')[19]);
  const booted = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
  const startedAt = Math.round(booted + ticks / 100);
  return `${processId}\n/x\n${startedAt}\n5432\n${socketDirectory}\n\n0 0\nready   \n`;
}
