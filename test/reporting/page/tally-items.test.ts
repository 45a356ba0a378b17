import { expect, test } from 'vitest';
import { itemFields, itemOfText } from '../../../src/findings/item-texts.js';
import { ItemTally } from '../../../src/reporting/page/tally-items.js';
import { nullMark, valueMark } from '../../../src/values/row-texts.js';

/** An item of the kind that the database sends, with all fields empty but these. */
function itemOf(values: Readonly<Record<string, string>>) {
  const all: Record<string, string> = {
    ...{ lapsed: 'false', pending: 'false', atRiskMinor: '100', ageDays: '3', firstSeenRun: '1' },
    ...{ code: 'CLAIM_DIFFERS', severity: 'info', status: 'OPEN', currency: 'EUR', pattern: 'p' },
    ...values,
  };
  return itemOfText(itemFields.map((name) => `${valueMark}${all[name] ?? nullMark}`).join(''));
}

test('keeps of a long item what the page shows, and not its whole row', async () => {
  const ids = 'ab12,'.repeat(200_000);
  const long = itemOf({ discrepancyId: 'd1', message: `The file itself claims ${ids}`, actual: ids });
  const short = itemOf({ discrepancyId: 'd2', message: 'Nothing.' });
  const tally = new ItemTally(0);
  for await (const _ of tally.watch(batches([long, short]))) continue;
  const { largest, patterns } = tally.totals();
  expect(largest.map(({ discrepancyId }) => discrepancyId)).toEqual(['d1', 'd2']);
  expect(largest[1]).toBe(short);
  expect(largest[0]).toMatchObject({ code: 'CLAIM_DIFFERS', ageDays: 3, atRiskMinor: 100n, line: null });
  for (const text of [largest[0]?.message, largest[0]?.actual, patterns[0]?.example])
    expect(text).toMatch(/^.{1999}…$/);
});

test('puts errors before warnings where both are equally frequent', async () => {
  const tally = new ItemTally(0);
  const items = [
    itemOf({ discrepancyId: 'd1', code: 'BRAND_MISMATCH', severity: 'warning', message: 'b' }),
    itemOf({ discrepancyId: 'd2', code: 'CURRENCY_MISMATCH', severity: 'error', message: 'c' }),
    itemOf({ discrepancyId: 'd3', code: 'CLAIM_DIFFERS', severity: 'info', message: 'd' }),
    itemOf({ discrepancyId: 'd4', code: 'CLAIM_DIFFERS', severity: 'info', message: 'd' }),
  ];
  for await (const _ of tally.watch(batches(items))) continue;
  expect(tally.totals().byCode.map(({ code }) => code)).toEqual([
    'CLAIM_DIFFERS',
    'CURRENCY_MISMATCH',
    'BRAND_MISMATCH',
  ]);
});

async function* batches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield await Promise.resolve(items);
}
