import { expect, test } from 'vitest';
import { createInstallation, settlementFile } from '../cli/installation.js';

test('a run sends no statement for each file that stays at its source', async () => {
  const installation = await createInstallation();
  installation.write('recon.config.yaml', 'sources: [{ name: inbox, protocol: local, folder: inbox }]\n');
  const write = (from: number, count: number) => {
    for (let file = from; file < from + count; file += 1)
      installation.write(`inbox/settlement-${100 + file}.csv`, settlementFile(file));
  };
  /** How many statements a run that finds nothing new sends about what is at its source. */
  const idleRun = async () => {
    const { code, stderr } = await installation.recon('run', '--log-level', 'trace');
    expect(code).toBe(0);
    return stderr.match(/"statement":"[^"]*(remote|packed)_files/g)?.length ?? 0;
  };
  write(1, 2);
  await installation.recon('run');
  const withTwo = await idleRun();
  write(3, 20);
  await installation.recon('run');
  expect(withTwo).toBeGreaterThan(0);
  expect(await idleRun()).toBe(withTwo);
});
