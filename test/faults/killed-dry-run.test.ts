import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.js';
import { createInstallation, settlementFile } from '../cli/installation.js';

/** A dry run receives files in the folder of temporary files; one that is killed leaves them there. */

test('the next run removes what killed dry runs left, and nothing else', async () => {
  const installation = await createInstallation();
  const { directory: cwd, environment } = installation;
  installation.write('day.csv', settlementFile(1));
  const temporary = path.join(cwd, 'tmp');
  mkdirSync(temporary);
  const run = (env: Readonly<Record<string, string>>, ...args: string[]) =>
    runCli(['run', '--file', 'day.csv', ...args], {
      env: { ...environment, TMPDIR: temporary, ...env },
      cwd,
    });
  const left = () => readdirSync(temporary).filter((name) => name.startsWith('recon-dry-run-'));
  const killed = () => run({ RECON_FAIL_AT: 'match.before' }, '--dry-run');

  expect((await killed()).signal).toBe('SIGKILL');
  expect(left()).toHaveLength(1);
  const name = left()[0] ?? '';
  expect(readdirSync(path.join(temporary, name))).toContain('archive');
  // Of a process that lives, of another machine, and a link that somebody made.
  const [beginning = ''] = /^recon-dry-run-[0-9a-f]{8}-/.exec(name) ?? [];
  expect(beginning).not.toBe('');
  const others = [
    `${beginning}${process.pid}-AbCdEf`,
    'recon-dry-run-0badf00d-1-AbCdEf',
    'recon-dry-run-AbCdEf',
  ];
  for (const other of others) mkdirSync(path.join(temporary, other));
  const elsewhere = path.join(cwd, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(path.join(elsewhere, 'kept'), '');
  const link = name.replace(/.{6}$/, 'LiNkEd');
  symlinkSync(elsewhere, path.join(temporary, link));

  expect((await killed()).signal).toBe('SIGKILL');
  expect(left()).not.toContain(name);
  expect(left()).toHaveLength(others.length + 2);
  expect((await run({})).code).toBe(0);
  expect(left().sort()).toEqual([...others, link].sort());
  expect(existsSync(path.join(elsewhere, 'kept'))).toBe(true);

  // A run does not need the folder, and a dry run says what is wrong with it.
  rmSync(temporary, { recursive: true });
  expect((await run({})).code).toBe(0);
  expect(await run({}, '--dry-run')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining(`create a folder in ${temporary}`) as unknown,
  });
});
