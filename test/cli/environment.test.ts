import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../support/cli.js';
import { createTestDatabase } from '../support/database.js';
import { hostileEnvironment } from '../support/hostile-environment.js';
import { folderForThisTest } from '../support/test-folder.js';
import { recon } from './recon.js';

test('the tests run with environment variables that no command may read', () => {
  for (const [name, value] of Object.entries(hostileEnvironment)) {
    // Their folder is named after the process that started the tests.
    const pattern = value.replace(/recon-trap-\d+/, 'recon-trap-\\d+').replaceAll('/', '\\/');
    expect(process.env[name]).toMatch(new RegExp(`^${pattern}$`));
  }
});

test('within the process of a test a command sees only the variables that it is given', async () => {
  const [database, cwd] = [await createTestDatabase(), folderForThisTest()];
  onTestFinished(() => database.drop());
  const environment = { RECON_DATABASE_URL: database.url, RECON_DATA_DIR: 'given' };
  const { code, stdout } = await recon(['runs', '--json'], { cwd, environment });
  expect({ code, runs: JSON.parse(stdout) as unknown }).toEqual({ code: 0, runs: [] });
});

test('a command in its own process reads the variables of its shell', async () => {
  const cwd = folderForThisTest();
  const { code, stdout } = await runCli(['doctor', '--json'], { cwd, env: hostileEnvironment });
  expect(code).toBe(2);
  expect(stdout).toContain('CONFIG_UNREADABLE');
});

test('what the shell sets for other programs that use PostgreSQL does not disturb the embedded database', async () => {
  const shell = {
    cwd: folderForThisTest(),
    env: {
      PGHOST: 'db.invalid',
      PGPORT: '1',
      PGUSER: 'other',
      PGDATABASE: 'other',
      PGPASSWORD: 'other',
      PGOPTIONS: '-c search_path=other -c statement_timeout=1',
      PGSERVICE: 'other',
      PGSSLMODE: 'verify-full',
      PGSSL: 'require',
      PGSSLNEGOTIATION: 'direct',
      PGTARGETSESSIONATTRS: 'any',
    },
  };
  // A list opens no database where none was created.
  const created = await runCli(['migrate'], shell);
  expect(created.code, created.stderr).toBe(0);
  const { code, stdout, stderr } = await runCli(['runs', '--json'], shell);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual([]);
});
