import { expect, test } from 'vitest';
import { headerLine } from '../../src/settlement-file/columns.js';
import { writeCells } from '../../src/settlement-file/write-row.js';
import { repetitions, seed, seeded } from '../support/campaign.js';
import { compareJudgements, noAgreement } from './compare-judgements.js';
import { createIntakeScene } from './intake-scene.js';

/*
 * The reader and the check of rows are written for speed. Here they are compared with csv-parse and the rules
 * themselves on files that nobody would think of; the campaign takes ten times as many.
 */
test(seeded('F46 to F63 mutated files are judged as csv-parse and the rules judge them'), async () => {
  const agreement = noAgreement();
  const count = repetitions(2000);
  const rows: string[] = [];
  for (let file = 0; file < count; file += 1) {
    const accepted = await compareJudgements(seed + file, agreement);
    rows.push(...accepted.map(({ cells }) => writeCells(cells)));
  }
  const { files, refusedFiles, refusedRows, acceptedRows, slowestMs } = agreement;
  expect(slowestMs).toBeLessThan(1000);
  // It would prove nothing if all were refused, or none.
  expect(Math.min(refusedFiles, files - refusedFiles)).toBeGreaterThan(files / 5);
  expect(Math.min(refusedRows, acceptedRows)).toBeGreaterThan(files / 5);
  await expectDatabaseTakes(rows);
});

/** A row that passes the check but not the types of the database would end a night that was all right. */
async function expectDatabaseTakes(rows: readonly string[]): Promise<void> {
  const scene = await createIntakeScene();
  try {
    const content = `${headerLine}\n${rows.map((row) => `${row}\n`).join('')}`;
    const { files } = await scene.night({ name: 'accepted.csv', content });
    expect(files[0]).toMatchObject({
      status: 'loaded',
      rows: { total: rows.length, accepted: rows.length, rejected: 0, alreadyKnown: 0 },
    });
  } finally {
    await scene.end();
  }
}
