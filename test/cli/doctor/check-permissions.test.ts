import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { judgeFolder, judgeSecretFile } from '../../../src/cli/doctor/check-permissions.js';
import { createInstallation } from '../installation.js';

test.each([
  [0o600, undefined],
  [0o400, undefined],
  [0o640, { isWrong: false, sentence: '/s (password) can be read by its group: chmod 600 /s' }],
  [0o660, { isWrong: true, sentence: '/s (password) can be read and changed by its group: chmod 600 /s' }],
  [0o644, { isWrong: true, sentence: '/s (password) can be read by other accounts: chmod 600 /s' }],
  [0o602, { isWrong: true, sentence: '/s (password) can be changed by other accounts: chmod 600 /s' }],
])('a secret file with mode %o', (mode, expected) => {
  expect(judgeSecretFile('password', '/s', mode)).toEqual(expected);
});

test.each([
  [0o700, undefined],
  [0o755, undefined],
  [0o1777, undefined],
  [0o770, { isWrong: false, sentence: "/a b can be written to by its group: chmod go-w '/a b'" }],
  [0o777, { isWrong: true, sentence: "/a b can be written to by other accounts: chmod go-w '/a b'" }],
])('a folder with mode %o', (mode, expected) => {
  expect(judgeFolder('/a b', mode)).toEqual(expected);
});

test('doctor names secret files and folders that others can read or write, with the chmod to run', async () => {
  const installation = await createInstallation();
  mkdirSync(installation.dataDirectory);
  mkdirSync(path.join(installation.directory, 'inbox'));
  const password = installation.write('password', 'secret-of-a-file\n');
  const source = (name: string, more: string) =>
    `  - { name: ${name}, protocol: ftp, host: 127.0.0.1, port: 1, username: u, allowInsecure: true, attempts: 1, ${more} }`;
  const config = installation.write(
    'recon.config.yaml',
    `sources:\n${source('filed', 'passwordFile: password')}\n${source('inline', 'password: secret-in-here')}\n`,
  );
  const permissions = async () => {
    const { document } = await installation.json<{
      checks: { subject: string; ok: boolean; message: string }[];
    }>('doctor');
    return document.checks.find(({ subject }) => subject === 'permissions');
  };
  chmodSync(installation.directory, 0o700);
  chmodSync(password, 0o644);
  chmodSync(config, 0o666);
  chmodSync(installation.dataDirectory, 0o777);
  const open = await permissions();
  expect(open?.ok).toBe(false);
  // The shell needs them if TMPDIR has a blank.
  const withoutQuotes = open?.message.replaceAll("'", '');
  for (const command of [
    `chmod 600 ${password}`,
    `chmod 600 ${config}`,
    `chmod go-w ${installation.dataDirectory}`,
  ])
    expect(withoutQuotes).toContain(command);
  expect(open?.message).not.toMatch(/secret-(of|in)/);
  chmodSync(password, 0o600);
  chmodSync(config, 0o640);
  chmodSync(installation.dataDirectory, 0o700);
  expect(await permissions()).toMatchObject({
    ok: true,
    message: expect.stringContaining('by its group') as string,
  });
  chmodSync(config, 0o600);
  expect(await permissions()).toMatchObject({
    ok: true,
    message: expect.stringContaining('closed') as string,
  });
});
