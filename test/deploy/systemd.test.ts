import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingsSchema } from '../../src/config/config-schema.js';
import { exitCodes } from '../../src/errors.js';
import { needs } from '../support/needs.js';
import { folderForThisTest } from '../support/test-folder.js';
import { binFolder, deployFile } from './deploy-files.js';
import { complete, worthAnotherAttempt } from './exit-code-policy.js';

/** The settings of a unit by section. */
function readUnit(name: string): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {};
  let section: Record<string, string> = {};
  for (const line of deployFile(`systemd/${name}`).split('\n')) {
    const [, heading] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (heading !== undefined) section = sections[heading] = {};
    else if (line !== '' && !line.startsWith('#')) {
      const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
      expect(key, `the line "${line}" is a setting`).not.toBe('');
      expect(section, `${key} is given once`).not.toHaveProperty(key);
      section[key] = value;
    }
  }
  return sections;
}

const units = [
  'recon.service',
  'recon.timer',
  'recon-failure@.service',
  'recon-worker@.service',
  'recon-gateway@.service',
] as const;

test('the service waits for the network and reports its failure', () => {
  const { Unit, Service } = readUnit('recon.service');
  expect(Unit).toMatchObject({ Wants: 'network-online.target', OnFailure: 'recon-failure@%N.service' });
  expect(Unit?.['After']?.split(' ')).toContain('network-online.target');
  expect(Service).toMatchObject({ Type: 'oneshot', User: 'recon', ExecStart: 'recon run' });
  // V8 makes pages of memory executable.
  expect(Service).not.toHaveProperty('MemoryDenyWriteExecute');
  expect(readUnit('recon-failure@.service')['Service']?.['ExecStart']).toContain('%i.service');
});

test.each(['recon.service', 'recon-worker@.service', 'recon-gateway@.service'])(
  '%s leaves no core dump, which would contain passwords and keys',
  (name) => {
    expect(readUnit(name)['Service']).toMatchObject({ LimitCORE: '0' });
  },
);

test('the timer starts every day and makes up for a missed start', () => {
  expect(readUnit('recon.timer')).toMatchObject({
    Timer: { OnCalendar: '*-*-* 05:30', Persistent: 'true' },
    Install: { WantedBy: 'timers.target' },
  });
});

test('each exit code is a success, a failure, or tried again, as its errors say', () => {
  const { Unit, Service } = readUnit('recon.service');
  const codesOf = (setting: string) => (Service?.[setting] ?? '').split(' ').map(Number);
  const success = [exitCodes.done, ...codesOf('SuccessExitStatus')];
  const final = codesOf('RestartPreventExitStatus');
  expect(Service?.['Restart']).toBe('on-failure');
  expect(Number(Unit?.['StartLimitBurst'])).toBeGreaterThan(1);
  expect(success).toEqual([exitCodes.done, exitCodes.rejected, exitCodes.terminated]);
  for (const code of Object.values(exitCodes)) {
    if (success.includes(code)) continue;
    expect({ code, final: final.includes(code) }).toEqual({ code, final: !worthAnotherAttempt(code) });
  }
  expect(complete).toEqual(expect.arrayContaining([exitCodes.discrepancies, exitCodes.deliveryMissing]));
});

test('a worker is started again unless it was stopped or is wrongly configured, and stops in its time', () => {
  const { Service, Install } = readUnit('recon-worker@.service');
  expect(Service).toMatchObject({
    ExecStart: 'recon worker',
    SuccessExitStatus: String(exitCodes.terminated),
    RestartPreventExitStatus: String(exitCodes.usage),
    Restart: 'on-failure',
    TimeoutStopSec: '30s',
  });
  const { graceSeconds } = settingsSchema.parse({}).worker;
  expect(Number.parseInt(Service?.['TimeoutStopSec'] ?? '')).toBeGreaterThan(graceSeconds + 5);
  expect(Service).not.toHaveProperty('ReadWritePaths');
  expect(Service).not.toHaveProperty('MemoryDenyWriteExecute');
  expect(Install).toEqual({ WantedBy: 'multi-user.target' });
});

test('a gateway is started again unless it was stopped or cannot start, and stops after its last request', () => {
  const { Service, Install } = readUnit('recon-gateway@.service');
  expect(Service).toMatchObject({
    ExecStart: 'recon serve --port %i',
    SuccessExitStatus: String(exitCodes.terminated),
    RestartPreventExitStatus: String(exitCodes.usage),
    Restart: 'on-failure',
    TimeoutStopSec: '45s',
  });
  const { requestTimeoutMs } = settingsSchema.parse({}).http;
  expect(Number.parseInt(Service?.['TimeoutStopSec'] ?? '') * 1000).toBeGreaterThan(
    requestTimeoutMs + 10_000,
  );
  expect(Service).not.toHaveProperty('MemoryDenyWriteExecute');
  expect(Install).toEqual({ WantedBy: 'multi-user.target' });
});

const systemd = needs.systemdAnalyze();
describe.skipIf(!systemd.isMet)('systemd-analyze', systemd.orSkipped, () => {
  const directory = () => {
    const folder = folderForThisTest();
    const recon = path.join(binFolder(folder), 'recon');
    for (const unit of units) {
      const text = deployFile(`systemd/${unit}`).replace('ExecStart=recon ', `ExecStart="${recon}" `);
      writeFileSync(path.join(folder, unit.replace('@', '@recon')), text);
    }
    return folder;
  };
  const analyze = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, {
      cwd: directory(),
      encoding: 'utf8',
    });
    return { status, text: stdout + stderr };
  };

  test('accepts every unit without a remark', () => {
    expect(analyze('verify', '--man=no', ...units.map((unit) => `./${unit.replace('@', '@recon')}`))).toEqual(
      {
        status: 0,
        text: '',
      },
    );
  });

  test.each(['recon.service', 'recon-worker@recon.service', 'recon-gateway@recon.service'])(
    'rates %s as well protected',
    (unit) => {
      const { status, text } = analyze('security', '--offline=true', '--threshold=25', `./${unit}`);
      expect(text).toMatch(new RegExp(`Overall exposure level for ${unit}: ([01]\\.\\d OK|2\\.[0-5] OK)`));
      expect(status).toBe(0);
    },
  );
});
