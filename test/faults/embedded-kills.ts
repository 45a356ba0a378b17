import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { expect } from 'vitest';
import { openDatabase } from '../../src/db/connect.js';
import { readPostmaster } from '../../src/db/embedded/postmaster-file.js';
import type { Chance } from '../support/campaign.js';
import { watchCli, type CliResult, type WatchedCli } from '../support/cli.js';
import type { Account } from '../support/ordinary-account.js';
import {
  factsOf,
  leftOversOf,
  prepareNight,
  reportsOf,
  type SettlementNight,
} from '../support/settlement-night.js';

/** What is killed: the command, its server, a session of the server, or command and server together. */
const victims = ['command', 'server', 'session', 'command and server'] as const;
export type Victim = (typeof victims)[number];

/** How long the steps take if nobody disturbs them, and what is there after them. */
export interface Undisturbed {
  readonly importMs: number;
  readonly runMs: number;
  readonly code: number;
  readonly facts: Record<string, unknown>;
  readonly reports: Record<string, string>;
}

export async function undisturbed(account: Account | undefined): Promise<Undisturbed> {
  const night = prepareNight(undefined, undefined, account);
  try {
    const startedAt = Date.now();
    expect((await night.importPayments()).code).toBe(0);
    const importedAt = Date.now();
    const { code } = await night.run();
    const times = { importMs: importedAt - startedAt, runMs: Date.now() - importedAt };
    return { ...times, code, facts: await storedFacts(night), reports: reportsOf(night) };
  } finally {
    night.end();
  }
}

/**
 * One round: up to three kills while payments are imported into a new embedded database and while files are
 * reconciled with them. Then the next command must complete, with the facts and reports of an undisturbed night, and
 * no process is left.
 *
 * @returns what was killed
 */
export async function killEmbedded(
  chance: Chance,
  expected: Undisturbed,
  account: Account | undefined,
): Promise<Victim[]> {
  const night = prepareNight(undefined, undefined, account);
  const plan: string[] = [];
  const killed: Victim[] = [];
  const disturb = async (what: string, start: () => WatchedCli, lastsMs: number) => {
    const victim = chance.pick(victims);
    // A command that ends sooner on a quiet machine is still there at most of these moments.
    const afterMs = Math.round(chance.fraction() * lastsMs * 0.6);
    plan.push(`${victim} ${afterMs} ms after its start in the ${what}`);
    if (await kill(night, start(), victim, afterMs)) killed.push(victim);
  };
  try {
    if (chance.fraction() < 0.4) {
      await disturb('import', () => watchCli(night.startImport()), expected.importMs);
    }
    const imported = await night.importPayments();
    expect(imported.code, imported.stderr).toBe(0);
    for (let times = chance.integer(1, 2); times > 0; times -= 1) {
      await disturb('run', () => watchCli(night.start()), expected.runMs);
    }
    await expectRecovery(night, expected);
    return killed;
  } catch (thrown) {
    throw new Error(`after killing ${plan.join(', then ')}`, { cause: thrown });
  } finally {
    endAll(processesOf(night));
    night.end();
  }
}

/** @returns whether there was something to kill at that moment */
async function kill(
  night: SettlementNight,
  command: WatchedCli,
  victim: Victim,
  afterMs: number,
): Promise<boolean> {
  const ended = command.ended.then(() => 'ended');
  // A server is there for a part of the time only, and the load of the machine decides which.
  while (targetsOf(night, command, victim).length === 0) {
    if ((await Promise.race([sleep(5), ended])) === 'ended') break;
  }
  await Promise.race([sleep(afterMs), ended]);
  const hit = endAll(targetsOf(night, command, victim));
  const end = await command.ended;
  if (end.signal !== 'SIGKILL') expectNamedEnd(end);
  return hit;
}

function targetsOf(night: SettlementNight, command: WatchedCli, victim: Victim): number[] {
  const server = serverOf(night);
  const found = server === undefined ? [] : [server];
  if (victim === 'command') return [command.pid];
  if (victim === 'server') return found;
  if (victim === 'session') return sessionsOf(server).slice(0, 1);
  return found.length === 0 ? [] : [...found, command.pid];
}

/** A command that lost its database, or that was finished first, ends in a way that the exit codes name. */
function expectNamedEnd(end: CliResult): void {
  expect([0, 1, 5], `${end.signal ?? ''} ${end.stdout}${end.stderr}`).toContain(end.code);
}

async function expectRecovery(night: SettlementNight, expected: Undisturbed): Promise<void> {
  const next = await night.run();
  expect(next.code === expected.code || next.code === 0, next.stdout + next.stderr).toBe(true);
  expect(processesOf(night)).toEqual([]);
  expect(unusedSharedMemory(night)).toEqual([]);
  expect(leftOversOf(night)).toEqual([]);
  expect(readdirSync(path.join(night.directory, 'data')).filter((name) => name.includes('.new-'))).toEqual(
    [],
  );
  expect(await storedFacts(night)).toEqual(expected.facts);
  expect(reportsOf(night)).toEqual(expected.reports);
  expect(processesOf(night)).toEqual([]);
}

async function storedFacts(night: SettlementNight): Promise<Record<string, unknown>> {
  const database = await openDatabase(
    { dataDirectory: path.join(night.directory, 'data') },
    { logger: pino({ enabled: false }) },
  );
  try {
    return await factsOf(database.sql);
  } finally {
    await database.close();
  }
}

const clusterOf = (night: SettlementNight) => path.join(night.directory, 'data/database');

function serverOf(night: SettlementNight): number | undefined {
  try {
    return readPostmaster(clusterOf(night))?.processId;
  } catch {
    // There is no cluster yet.
    return undefined;
  }
}

/** The processes of the server that serve a client. */
function sessionsOf(server: number | undefined): number[] {
  if (server === undefined) return [];
  return readProc(`${server}/task/${server}/children`)
    .split(' ')
    .map(Number)
    .filter((child) => child > 0 && /^postgres: recon: recon /.test(readProc(`${child}/cmdline`)));
}

/** Every process that works in the folder of the night: commands, server, what a crashed server left. */
function processesOf(night: SettlementNight): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((processId) => processId > 0 && workingDirectory(processId).startsWith(night.directory));
}

function workingDirectory(processId: number): string {
  try {
    return readlinkSync(`/proc/${processId}/cwd`);
  } catch {
    return '';
  }
}

/** What a killed server leaves until the next one starts. Columns: key, shmid, perms, size, cpid, lpid, nattch, uid. */
function unusedSharedMemory(night: SettlementNight): string[] {
  const key = statSync(clusterOf(night)).ino | 0;
  return readProc('sysvipc/shm')
    .split('\n')
    .filter((line) => Number(line.trim().split(/\s+/)[0]) === key);
}

function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function endAll(processIds: readonly number[]): boolean {
  let hit = false;
  for (const processId of processIds) {
    try {
      process.kill(processId, 'SIGKILL');
      hit = true;
    } catch {
      // It has ended.
    }
  }
  return hit;
}
