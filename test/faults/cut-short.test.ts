import { expect, test } from 'vitest';
import { chanceFrom, seed, seeded } from '../support/campaign.js';
import { judgeCut, wholeFile, type CutOutcome } from './cut-short.js';

/** A cut is made every 61 bytes, from a different first one each time; the campaign cuts at every byte. */
const stride = 61;

test(
  seeded('F56 a file of 200 rows cut short is refused, or only its last row, or it ends with a row'),
  async () => {
    const seen = new Set<CutOutcome>();
    const first = chanceFrom(seed).integer(0, stride - 1);
    for (let offset = first; offset < wholeFile.length; offset += stride) seen.add(await judgeCut(offset));
    // The last bytes and the header are where a cut is most likely to be mistaken for something else.
    for (let offset = 0; offset < 800; offset += 1) seen.add(await judgeCut(offset));
    for (let offset = wholeFile.length - 800; offset <= wholeFile.length; offset += 1)
      seen.add(await judgeCut(offset));
    expect([...seen].sort()).toEqual(['fewer rows', 'file refused', 'row refused']);
  },
);
