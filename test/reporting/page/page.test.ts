import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { PageModel } from '../../../src/reporting/page/page-model.js';
import { renderPage } from '../../../src/reporting/page/page.js';
import { longDate } from '../../../src/reporting/page/texts.js';
import { sampleModel } from './sample-model.js';

const quiet = await sampleModel(0);
const busy = await sampleModel(50);

/** The page as text, without tags, styles and script. */
const readable = (page: string) =>
  page
    .replace(/<(style|script|svg)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the morning page', () => {
  test('says in its heading as many new items as in its table, also when it is written again after some were accepted', () => {
    const ofRun = busy.items.new.reduce((sum, group) => sum + group.count, 0);
    const again = { ...busy, counts: { ...busy.counts, new: ofRun + 5 } };
    expect(ofRun).toBeGreaterThan(0);
    expect(readable(renderPage(again))).toContain(`items are open: ${ofRun} new in this run`);
    expect(readable(renderPage(again))).toContain(`new ${ofRun} resolved`);
  });

  test('begins with the day, what is open and what went wrong', () => {
    const text = readable(renderPage(busy));
    for (const words of [
      'Friday, 20 November 2026',
      '45 items are open: 8 new in this run, 12 resolved by it.',
      '1 source could not be read.',
      '1 expected delivery is missing.',
      '1 of 5 files was not loaded.',
      'The running number 16 was skipped.',
      'due 2026-11-20T06:00:00Z',
      '36 rows were rejected and count in no sum.',
    ]) {
      expect(text).toContain(words);
    }
  });

  test('speaks of one row and one record in the singular', () => {
    const withdrawal = { source: 'acq', name: 'a.csv', sha256: '', records: 1, by: 'anna', reason: 'wrong' };
    const text = readable(
      renderPage({
        ...quiet,
        withdrawals: [
          { ...withdrawal, status: 'withdrawn' },
          { ...withdrawal, status: 'restored' },
          { ...withdrawal, status: 'withdrawn', records: 2 },
        ],
        totals: { ...quiet.totals, rejected: { ...quiet.totals.rejected, count: 1 } },
      }),
    );
    for (const words of [
      '1 record no longer counts.',
      '1 record counts again.',
      '2 records no longer count.',
      '1 row was rejected and counts in no sum.',
    ]) {
      expect(text).toContain(words);
    }
  });

  test('leads to the sheet of corrections if a row of a loaded file is in it, and not for a file that was rejected', () => {
    const [loaded] = quiet.files;
    if (loaded === undefined) throw new Error('the quiet day has a file');
    const rows = { total: 2, accepted: 0, rejected: 2, alreadyKnown: 0 };
    const pageOf = (file: typeof loaded) => readable(renderPage({ ...quiet, files: [file] }));
    expect(pageOf({ ...loaded, rows: { ...rows, accepted: 1, rejected: 1 } })).toContain('correct them in');
    expect(pageOf({ ...loaded, rows, status: 'rejected' })).not.toContain('correct them in');
  });

  test('says of one open item that nothing is new', () => {
    const counts = { ...busy.counts, open: 1, new: 0, resolved: 2 };
    const items = { ...busy.items, new: [] };
    expect(readable(renderPage({ ...busy, counts, items }))).toContain(
      '1 item is open: nothing new in this run, 2 resolved by it.',
    );
  });

  test('says that nothing is open, without alarms', () => {
    const page = renderPage(quiet);
    expect(readable(page)).toContain('Nothing is open.');
    expect(page).not.toMatch(/class="(error|warning)"/);
    expect(page).not.toContain('id="items"');
  });

  test('shows the 500 items with the most money and the totals of all', async () => {
    const model = await sampleModel(3000);
    const page = renderPage(model);
    expect(page.match(/data-severity=/g)).toHaveLength(500);
    expect(readable(page)).toContain('500 of 3,000 items');
    const eur = [...model.items.open, ...model.items.waiting].filter(({ currency }) => currency === 'EUR');
    const missing = eur.reduce((sum, group) => sum + group.missing, 0n);
    expect(model.items.money.get('EUR')?.missing).toBe(missing);
    expect(missing).toBeGreaterThan(0n);
  });

  test('a long list has what needs attention, and says how many are left out', () => {
    const [arrived] = busy.expected.filter(({ status }) => status === 'arrived');
    const [loaded] = busy.files.filter(({ status, rows }) => status === 'loaded' && rows.rejected === 0);
    const [fee] = busy.totals.money.byFeeType;
    if (arrived === undefined || loaded === undefined || fee === undefined)
      throw new Error('not in the sample');
    const text = readable(
      renderPage({
        ...busy,
        expected: [
          ...Array.from({ length: 200 }, () => arrived),
          { ...arrived, source: 'acquirer-zz', status: 'missing' },
        ],
        files: [
          ...Array.from({ length: 200 }, () => loaded),
          { ...loaded, name: 'zz.csv', status: 'rejected' },
        ],
        totals: {
          ...busy.totals,
          money: { ...busy.totals.money, byFeeType: Array.from({ length: 101 }, () => fee) },
        },
      }),
    );
    for (const words of [
      'Expected deliveries 200 are shown; all of them are in summary.json.',
      'acquirer-zz',
      '201 files 200 are shown; all of them are in summary.json.',
      'zz.csv',
      '1 more is in totals.csv .',
    ]) {
      expect(text).toContain(words);
    }
  });

  test('states the money of one item as of many', () => {
    const one = { ...busy.items, total: 1, largest: busy.items.largest.slice(0, 1) };
    const words = 'The money of all items is at the top of this page.';
    expect(readable(renderPage({ ...busy, items: one }))).toContain(words);
    expect(readable(renderPage(busy))).toContain(words);
  });

  test('the same model gives the same bytes', () => {
    expect(renderPage(busy)).toBe(renderPage(busy));
  });

  test('a text from a file or a person is never HTML', () => {
    const evil = `<img src=x onerror=alert(1)>"'&`;
    const item = busy.items.largest[0];
    const file = busy.files[0];
    if (item === undefined || file === undefined) throw new Error('the sample has both');
    const model: PageModel = {
      ...busy,
      notices: [evil],
      files: [{ ...file, name: evil, source: evil, note: evil }],
      items: {
        ...busy.items,
        largest: [
          { ...item, message: evil, note: evil, merchantAccountId: evil, assignee: evil, file: evil },
        ],
      },
    };
    const page = renderPage(model);
    expect(page).not.toContain('<img');
    expect(page.split('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')).toHaveLength(10);
  });
});

describe('the policy of the page', () => {
  const page = renderPage(busy);

  test('allows the one style and the one script by their hashes, and nothing else', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    const hash = (element: string) => {
      const parts = page.split(new RegExp(`</?${element}>`));
      expect(parts).toHaveLength(3);
      return `'sha256-${createHash('sha256')
        .update(parts[1] ?? '')
        .digest('base64')}'`;
    };
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `style-src ${hash('style')}`,
      `script-src ${hash('script')}`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
  });

  test('nothing comes from elsewhere', () => {
    expect(page).not.toMatch(/https?:|\/\/[a-z]|@import|url\(|\bsrc=|\bstyle="|\son\w+="/);
  });
});

describe('the structure of the page', () => {
  const page = renderPage(busy);

  test('headings descend by one level at most', () => {
    const levels = [...page.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    levels.forEach((level, index) => expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1));
  });

  test('every table has a caption, names of columns and names of rows', () => {
    const tables = page.split('<table').slice(1);
    expect(tables.length).toBeGreaterThan(8);
    for (const table of tables) {
      expect(table).toMatch(/<caption>\s*\S/);
      expect(table).toContain('scope="col"');
      expect(table).toContain('scope="row"');
    }
  });

  test('every link within the page has its target', () => {
    const ids = new Set([...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  test('a severity is a word and a shape', () => {
    for (const [, severity, rest = ''] of page.matchAll(
      /<tr role="row" data-severity="(\w+)"([\s\S]*?)<\/th>/g,
    )) {
      expect(rest).toContain(`#mark-${severity ?? ''}`);
      expect(rest).toContain(`<span class="word">${severity ?? ''}</span>`);
    }
  });
});

test('dates in words', () => {
  expect(['2024-02-29', '2026-01-01', '1999-12-31', '2000-03-01'].map(longDate)).toEqual([
    'Thursday, 29 February 2024',
    'Thursday, 1 January 2026',
    'Friday, 31 December 1999',
    'Wednesday, 1 March 2000',
  ]);
});
