import { expect, test } from 'vitest';
import { compareJudgements, noAgreement } from '../faults/compare-judgements.js';
import { repetitions, reportCounts, seed, seeded } from '../support/campaign.js';

test(seeded('F46 to F63 mutated files are judged as csv-parse and the rules judge them'), async () => {
  const agreement = noAgreement();
  const count = repetitions(20_000);
  for (let file = 0; file < count; file += 1) await compareJudgements(seed + file, agreement);
  const { files, refusedFiles, acceptedRows, refusedRows, slowestMs } = agreement;
  reportCounts('mutated files', {
    files,
    'refused by both': refusedFiles,
    'rows taken by both': acceptedRows,
    'rows refused by both': refusedRows,
    'ms for the slowest': Math.round(slowestMs),
  });
  expect(slowestMs).toBeLessThan(1000);
});
