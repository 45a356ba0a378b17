import { test } from 'vitest';
import { judgeCut, wholeFile, type CutOutcome } from '../faults/cut-short.js';
import { reportCounts } from '../support/campaign.js';

test('F56 a file of 200 rows cut at every byte', async () => {
  const counts: Record<CutOutcome, number> = { 'file refused': 0, 'row refused': 0, 'fewer rows': 0 };
  for (let offset = 0; offset <= wholeFile.length; offset += 1) counts[await judgeCut(offset)] += 1;
  reportCounts('F56 cuts', { cuts: wholeFile.length + 1, ...counts });
});
