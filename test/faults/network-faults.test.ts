import { expect, test } from 'vitest';
import { chanceFrom } from '../support/campaign.js';
import { surviveFault, type Protocol } from './network-faults.js';

/** The same few faults every time; `npm run test:faults` draws others. */
const protocols: readonly Protocol[] = ['sftp', 'ftp', 'ftps explicit', 'ftps implicit'];

test.concurrent.each(protocols)(
  'F9 F12 F13 F17 faults on the wire of %s: no other bytes, no hang, and a clean retry has all',
  async (protocol) => {
    const chance = chanceFrom(protocols.indexOf(protocol) + 1);
    for (let nth = 1; nth <= 6; nth += 1) {
      expect(await surviveFault(protocol, chance)).toMatch(/missed|repaired|failed/);
    }
  },
);
