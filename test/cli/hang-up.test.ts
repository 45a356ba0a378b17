import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startCli } from '../support/cli.js';
import { needs } from '../support/needs.js';
import { createInstallation } from './installation.js';

/** Starts a scheduler with a run every second; it is killed at the end of the test. */
async function startSchedule({ through = [], env = {} }: Start = {}) {
  const installation = await createInstallation();
  installation.write(
    'recon.config.yaml',
    "schedule: { cron: '* * * * * *' }\nsources: [{ name: inbox, protocol: local, folder: inbox }]\n",
  );
  installation.write('inbox/.keep', '');
  const child = startCli(['schedule', '--json'], {
    env: { ...installation.environment, ...env },
    cwd: installation.directory,
    through,
  });
  const [pid = -1] = [child.pid];
  const ended = once(child, 'close');
  const documents = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** Whether another run was completed before the program ended. */
  const runsOnce = async () => (await documents.next()).done !== true;
  expect(await runsOnce()).toBe(true);
  const program = through[0] === 'sh' && !through.join(' ').includes('exec') ? childOf(pid) : pid;
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { kill: (signal: NodeJS.Signals) => process.kill(program, signal), runsOnce, ended };
}

interface Start {
  readonly through?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const childOf = (pid: number) => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());

const procfs = needs.procfs();

describe.runIf(procfs.isMet)('SIGHUP', procfs.orSkipped, () => {
  test('stops the program as SIGTERM does', async () => {
    const schedule = await startSchedule();
    schedule.kill('SIGHUP');
    expect(await schedule.ended).toEqual([143, null]);
  });

  test('does not end it at once when it comes twice, as from a terminal that is closed and from its shell', async () => {
    const schedule = await startSchedule();
    schedule.kill('SIGHUP');
    schedule.kill('SIGHUP');
    expect(await schedule.ended).toEqual([143, null]);
  });

  // Only a shell names the program that it starts.
  const ignoring = 'trap "" HUP; ';
  test.each<[string, Start]>([
    ['by nohup', { through: ['nohup'], env: { _: '/usr/bin/nohup' } }],
    ['by nohup in a terminal', { through: ['sh', '-c', `${ignoring}exec "$@" 0>/dev/null`, 'sh'] }],
    ['by a script under nohup', { through: ['sh', '-c', `${ignoring}"$@"; exit $?`, 'sh'] }],
  ])('does not concern a program that was started %s', async (_how, start) => {
    const schedule = await startSchedule(start);
    schedule.kill('SIGHUP');
    expect(await schedule.runsOnce()).toBe(true);
    expect(await schedule.runsOnce()).toBe(true);
    schedule.kill('SIGTERM');
    expect(await schedule.ended).toEqual([143, null]);
  });
});
