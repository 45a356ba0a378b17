import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ListedItem } from '../../src/items/listed-item.js';
import { needs } from '../support/needs.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { startReview } from '../support/review-page.js';
import { createInstallation, paymentId, settlementFile, type Installation } from './installation.js';

/** `recon review` as people use it: in a real browser, by mouse and by keyboard, alone and two at once. */

const asOf = '2026-11-20';
const browserNeed = needs.chromium();
/** `RECON_SCREENSHOTS=FOLDER` keeps a picture of each view, to look at. */
const screenshots = process.env['RECON_SCREENSHOTS'];

/** 30 records that are short by the same amount and so a pattern, one of an unknown payment, two of other amounts. */
async function shop(config?: string): Promise<Installation> {
  const installation = await createInstallation();
  if (config !== undefined) installation.write('recon.config.yaml', config);
  const numbers = Array.from({ length: 32 }, (_, index) => index + 1);
  installation.write('payments.csv', paymentsFileOf(numbers.map((number) => paymentRow(number))));
  installation.write(
    'settlement.csv',
    settlementFile(
      ...numbers.map((number) => ({
        UniqueID: paymentId(number),
        SettlementTxId: `STL-${number}`,
        Amount: number > 30 ? `${number}.50` : '90.00',
      })),
      { UniqueID: paymentId(99), SettlementTxId: '<img src=x onerror=alert(1)>' },
    ),
  );
  expect((await installation.recon('payments', 'import', 'payments.csv')).code).toBe(0);
  expect((await installation.recon('run', '--file', 'settlement.csv', '--as-of', asOf)).code).toBe(0);
  return installation;
}

describe.skipIf(!browserNeed.isMet)('the review page in Chromium', browserNeed.orSkipped, () => {
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    // Root in a container has no sandbox; the page is ours.
    browser = await chromium.launch({ executablePath: browserNeed.command, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());
  afterEach(() => {
    // Also what the content security policy blocked.
    expect(complaints.splice(0)).toEqual([]);
  });

  /** The page of a person, in a browser without anything of another person. */
  async function open(
    { directory, environment }: Installation,
    by: string,
    options: Parameters<Browser['newPage']>[0] = {},
  ): Promise<Page> {
    const args = ['--as-of', asOf, '--by', by];
    const review = await startReview(args, { cwd: directory, environment });
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
    onTestFinished(async () => {
      await page.close();
      await review.stop();
    });
    page.on('console', (message) => {
      // Chromium logs each refused request, which a conflict is.
      if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(review.origin)) complaints.push(request.url());
    });
    await page.goto(review.link);
    await page.locator('#rows tr').first().waitFor();
    return page;
  }

  async function picture(page: Page, name: string): Promise<void> {
    if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/${name}.png` });
  }

  const rows = (page: Page) => page.locator('#rows tr');
  const notice = (page: Page) => page.locator('#notice');

  test('a person filters, opens an item, accepts it by keyboard and takes it back', async () => {
    const installation = await shop();
    const page = await open(installation, 'anna');
    await expect.poll(() => page.locator('#who').textContent()).toBe(`as of ${asOf} · decisions by anna`);
    await expect.poll(() => page.locator('#totals').textContent()).toContain('33 items');
    expect(await rows(page).count()).toBe(33);
    await picture(page, 'list');
    // In the words of the page of the report: 100.00 were paid for each, and 90.00, 31.50 and 32.50 settled.
    const risks = await page.locator('#rows .risk').allTextContents();
    expect([...new Set(risks)].sort()).toEqual([
      '10.00 EUR missing',
      '100.00 EUR surplus',
      '67.50 EUR missing',
      '68.50 EUR missing',
    ]);
    expect(await rows(page).first().locator('.item-code').textContent()).toMatch(/^error [A-Z_]+$/);

    await page.keyboard.press('/');
    await page.keyboard.type('onerror');
    await expect.poll(() => rows(page).count()).toBe(1);
    // The text of a file stays text.
    expect(await page.locator('#rows img').count()).toBe(0);
    await page.locator('#filters [type=reset]').click();
    await page.locator('[name=code]').selectOption('AMOUNT_MISMATCH');
    await expect.poll(() => page.locator('#totals').textContent()).toContain('32 items');
    expect(new URL(page.url()).search).toBe('?code=AMOUNT_MISMATCH');
    await page.reload();
    await expect.poll(() => page.locator('#totals').textContent()).toContain('32 items');
    await expect.poll(() => page.locator('[name=code]').inputValue()).toBe('AMOUNT_MISMATCH');

    await page.locator('[name=text]').fill('no item has this');
    await expect.poll(() => page.locator('#totals').textContent()).toContain('0 items');
    await page.goBack();
    await expect.poll(() => page.locator('#totals').textContent()).toContain('32 items');
    expect(await page.locator('[name=text]').inputValue()).toBe('');
    expect(await page.locator('[name=code]').inputValue()).toBe('AMOUNT_MISMATCH');
    expect(await page.locator('#totals').textContent()).toMatch(/EUR (missing|surplus)/);

    await page.locator('#view-items').focus();
    for (const key of ['j', 'j', 'k', 'o']) await page.keyboard.press(key);
    await page.locator('#detail pre').waitFor();
    const id = (await rows(page).first().getAttribute('data-id')) ?? '';
    const explained = (await installation.recon('explain', id)).stdout.trimEnd();
    expect(await page.locator('#detail pre').textContent()).toBe(explained);
    expect(await page.locator('#detail .facts').textContent()).toMatch(
      /Expected\d+\.\d\d EURActual\d+\.\d\d EUR/,
    );
    // The item beside the list is the one that the keys decide about: it moves with the current row.
    const secondId = (await rows(page).nth(1).getAttribute('data-id')) ?? '';
    await page.keyboard.press('j');
    await expect.poll(() => page.locator('#detail .facts').textContent()).toContain(secondId);
    await page.keyboard.press('k');
    await expect.poll(() => page.locator('#detail .facts').textContent()).toContain(id);
    await picture(page, 'item');
    await page.keyboard.press('y');
    await expect.poll(() => notice(page).textContent()).toBe('Approve: not possible for this item.');
    await page.keyboard.press('a');
    await page.locator('#decide [name=reason]').fill('rounding of the acquirer');
    await picture(page, 'accept');
    await page.keyboard.press('Enter');
    await expect.poll(() => notice(page).textContent()).toBe('1 item: accepted by anna.');
    await expect.poll(() => rows(page).count()).toBe(31);
    const offered = (name: string) => page.locator(`[name=${name}] option`).allTextContents();
    await expect.poll(() => offered('code')).toContain('AMOUNT_MISMATCH (31)');
    const history = page.locator('#detail .history li');
    await expect
      .poll(() => history.allTextContents())
      .toEqual([expect.stringMatching(/^accept by anna, .*Reason: rounding of the acquirer$/)]);

    await page.keyboard.press('u');
    await page.locator('#decide button[type=submit]').click();
    await expect.poll(() => rows(page).count()).toBe(32);
    await expect.poll(() => history.first().textContent()).toMatch(/^undo by anna/);
    expect(await history.last().textContent()).toContain('(taken back by anna)');
    await page.keyboard.press('Escape');
    await page.locator('#detail').waitFor({ state: 'hidden' });
    await page.keyboard.press('?');
    await expect.poll(() => page.locator('#shortcuts dt').count()).toBeGreaterThan(10);
    await picture(page, 'keys');
  });

  test('works by Tab, Space and Enter too: the link to the items, the sorting, the selection and an open item', async () => {
    const page = await open(await shop(), 'anna');
    const isFocused = (selector: string) => page.locator(`${selector}:focus`).count();
    // A screen reader says what is added to a line that is there already.
    expect(await page.getByRole('status').and(notice(page)).textContent()).toBe('');
    await page.keyboard.press('Tab');
    expect(await isFocused('.skip')).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => isFocused('#items')).toBe(1);
    await page.locator('#detail').waitFor({ state: 'hidden' });
    // In the other view, the link leads to what that one shows.
    await page.keyboard.press('p');
    await page.locator('.skip', { hasText: 'Skip to the patterns' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => isFocused('#patterns')).toBe(1);
    await page.keyboard.press('i');

    await page.locator('#head button', { hasText: 'Age' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('#head [aria-sort=descending]').textContent()).toBe('Age');
    await expect.poll(() => page.locator('#head button:focus').textContent()).toBe('Age');

    const all = page.locator('#head input');
    const selected = () => page.locator('#rows tr[aria-selected=true]').count();
    await all.focus();
    await page.keyboard.press('Space');
    expect(await selected()).toBe(33);
    expect(await all.isChecked()).toBe(true);
    expect(await isFocused('#head input')).toBe(1);
    await page.keyboard.press('Space');
    expect(await selected()).toBe(0);
    await rows(page).nth(2).locator('input').focus();
    await page.keyboard.press('Space');
    expect(await selected()).toBe(1);
    expect(await rows(page).nth(2).getAttribute('aria-current')).toBe('true');
    expect(await isFocused('#rows tr:nth-child(3) input')).toBe(1);
    expect(await page.locator('#head input:indeterminate').count()).toBe(1);
    await page.locator('#bulk button', { hasText: 'Select none' }).click();
    expect(await selected()).toBe(0);

    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.locator('#detail pre').waitFor();
    expect(await isFocused('#detail')).toBe(1);
    // The first button of an item closes it; after that are the decisions.
    for (const _ of ['close', 'accept']) await page.keyboard.press('Tab');
    expect(await isFocused('#detail [data-kind=accept]')).toBe(1);
    await page.keyboard.press('Enter');
    await page.locator('#decide [name=reason]').fill('agreed');
    await page.keyboard.press('Enter');
    await expect.poll(() => notice(page).textContent()).toBe('1 item: accepted by anna.');
    await expect.poll(() => isFocused('#detail')).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => isFocused('#items')).toBe(1);

    // What is typed while an item is read stays in its field.
    await page.route('**/api/items/*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    for (const key of ['j', 'o', '/']) await page.keyboard.press(key);
    await page.locator('#detail pre').waitFor();
    expect(await isFocused('[name=text]')).toBe(1);
  });

  test('the answer to a decision whose dialog was left does not close the next dialog', async () => {
    const page = await open(await shop(), 'anna');
    await rows(page).first().locator('.message').click();
    await page.locator('#detail pre').waitFor();
    await page.route('**/api/decide', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.keyboard.press('n');
    await page.locator('#decide [name=note]').fill('first');
    await page.locator('#decide button[type=submit]').click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.locator('#decide [name=note]').fill('second, half wr');
    await expect.poll(() => notice(page).textContent()).toBe('1 item: note added by anna.');
    expect(await page.locator('#decide [name=note]').inputValue()).toBe('second, half wr');
    expect(await page.locator('#decide[open]').count()).toBe(1);
  });

  test('the order of the list is in the address: it is kept by a reload, and Back returns to the one before', async () => {
    const page = await open(await shop(), 'anna');
    const sortedBy = () => page.locator('#head [aria-sort=ascending], #head [aria-sort=descending]');
    const firstId = () => rows(page).first().getAttribute('data-id');
    const usual = await firstId();
    await page.locator('#head button', { hasText: 'Code' }).click();
    await expect.poll(() => sortedBy().textContent()).toBe('Code');
    await page.locator('#head button', { hasText: 'At risk' }).click();
    await page.locator('#head button', { hasText: 'At risk' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=atRisk&direction=asc');
    await expect.poll(firstId).not.toBe(usual);
    const ascending = await firstId();
    await page.reload();
    await expect.poll(firstId).toBe(ascending);
    expect(await sortedBy().getAttribute('aria-sort')).toBe('ascending');
    await page.locator('[name=code]').selectOption('NOT_MATCHED');
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?code=NOT_MATCHED&sort=atRisk&direction=asc');
    // Before the filter, and before each of the two orders.
    for (let steps = 0; steps < 3; steps += 1) await page.goBack();
    await expect.poll(() => sortedBy().textContent()).toBe('Code');
    await expect.poll(() => rows(page).count()).toBe(33);
  });

  test('after a decision, the keys go on from the place of the item that left the list', async () => {
    const page = await open(await shop(), 'anna');
    const ids = await Promise.all(
      (await rows(page).all()).map(async (row) => (await row.getAttribute('data-id')) ?? ''),
    );
    const openId = () => page.locator('#detail .facts').textContent();
    await rows(page).nth(4).locator('.message').click();
    const accept = async (left: number) => {
      await page.locator('#detail pre').waitFor();
      await page.keyboard.press('a');
      await page.locator('#decide [name=reason]').fill('agreed');
      await page.keyboard.press('Enter');
      await expect.poll(() => rows(page).count()).toBe(left);
    };
    await accept(32);
    await page.keyboard.press('j');
    await expect.poll(openId).toContain(ids[5]);
    await accept(31);
    await page.keyboard.press('k');
    await expect.poll(openId).toContain(ids[3]);
    await page.keyboard.press('j');
    await expect.poll(openId).toContain(ids[6]);
    // Without an open item, the row that takes its place becomes the current one.
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await page.locator('#decide [name=reason]').fill('agreed');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).count()).toBe(30);
    await page.keyboard.press('j');
    await expect.poll(() => page.locator('#rows tr[aria-current=true]').getAttribute('data-id')).toBe(ids[7]);
    // Other filters begin at the top.
    await page.locator('[name=code]').selectOption('AMOUNT_MISMATCH');
    await expect.poll(() => rows(page).count()).toBeLessThan(30);
  });

  test('a new assignee can be chosen in the filter at once', async () => {
    const page = await open(await shop(), 'anna');
    await rows(page).first().click();
    await page.locator('#detail pre').waitFor();
    await page.keyboard.press('s');
    await page.locator('#decide [name=assignee]').fill('carl');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('#filters [name=assignee] option').allTextContents())
      .toEqual(['all', '(nobody)', 'carl']);
    await page.locator('#filters [name=assignee]').selectOption('carl');
    await expect.poll(() => rows(page).count()).toBe(1);
  });

  test('the second of two people sees who decided what, and decides about the item as it is now', async () => {
    const installation = await shop();
    const anna = await open(installation, 'anna');
    const bo = await open(installation, 'bo');
    for (const page of [anna, bo]) {
      await rows(page).first().locator('.message').click();
      await page.locator('#detail pre').waitFor();
    }
    await anna.locator('#detail [data-kind=wait]').click();
    await anna.locator('#decide [name=until]').fill('2026-12-24');
    await anna.locator('#decide button[type=submit]').click();
    await expect.poll(() => notice(anna).textContent()).toBe('1 item: set to wait by anna.');

    await bo.locator('#detail [data-kind=accept]').click();
    await bo.locator('#decide [name=reason]').fill('agreed');
    await bo.locator('#decide button[type=submit]').click();
    const problem = bo.locator('#decide .problem');
    await expect
      .poll(() => problem.textContent())
      .toContain(`was decided in the meantime: wait by anna on ${asOf}.`);
    // Behind the dialog the item is already as it is now.
    await expect
      .poll(() => bo.locator('#detail .history').textContent())
      .toContain('wait until 2026-12-24 by anna');
    await picture(bo, 'conflict');
    await bo.locator('#decide button', { hasText: 'Cancel' }).click();
    await bo.locator('#detail [data-kind=accept]').click();
    await bo.locator('#decide [name=reason]').fill('agreed with anna');
    await bo.locator('#decide button[type=submit]').click();
    await expect.poll(() => notice(bo).textContent()).toBe('1 item: accepted by bo.');
    const { document } = await installation.json<ListedItem[]>(
      'items',
      '--status',
      'ACCEPTED',
      '--as-of',
      asOf,
    );
    expect(document).toMatchObject([{ decidedBy: 'bo', reason: 'agreed with anna' }]);
  });

  test('an accept above the amount for four eyes waits until another person approves it', async () => {
    const installation = await shop('decisions: { fourEyesAbove: { EUR: 5.00 } }\nlogLevel: silent\n');
    const anna = await open(installation, 'anna');
    await rows(anna).first().locator('.message').click();
    await anna.locator('#detail pre').waitFor();
    await anna.locator('#detail [data-kind=accept]').click();
    await anna.locator('#decide [name=reason]').fill('agreed');
    await anna.locator('#decide button[type=submit]').click();
    await expect
      .poll(() => notice(anna).textContent())
      .toBe('1 item: accepted by anna. A second person has to approve it.');
    await expect.poll(() => rows(anna).first().locator('.status').textContent()).toContain('to be approved');
    await picture(anna, 'to-be-approved');
    // Who accepted it is not offered to approve it, whatever the spelling of the name.
    await expect.poll(() => anna.locator('#detail .status').textContent()).toContain('to be approved');
    expect(await anna.locator('#detail [data-kind=undo]').count()).toBe(1);
    expect(await anna.locator('#detail [data-kind=approve]').count()).toBe(0);
    await anna.keyboard.press('y');
    await expect
      .poll(() => notice(anna).textContent())
      .toBe('Approve: you accepted it, so another person has to approve it.');
    const annaAgain = await open(installation, ' Anna');
    await rows(annaAgain).first().locator('.message').click();
    await annaAgain.locator('#detail pre').waitFor();
    expect(await annaAgain.locator('#detail [data-kind=approve]').count()).toBe(0);

    const bo = await open(installation, 'bo');
    await rows(bo).first().locator('.message').click();
    await bo.locator('#detail pre').waitFor();
    await bo.keyboard.press('y');
    await bo.locator('#decide button[type=submit]').click();
    await expect.poll(() => notice(bo).textContent()).toBe('1 item: approved by bo.');
    await expect.poll(() => rows(bo).count()).toBe(32);
  });

  test('selected items and a whole pattern are decided after a preview', async () => {
    const installation = await shop();
    const page = await open(installation, 'anna');
    for (const at of [0, 1]) await rows(page).nth(at).locator('input').check();
    await expect.poll(() => page.locator('#bulk').textContent()).toContain('2 items selected');
    await picture(page, 'selected');
    await page.locator('#bulk [data-kind=assign]').click();
    await page.locator('#decide [name=assignee]').fill('carl');
    await page.locator('#decide button[type=submit]').click();
    await expect.poll(() => page.locator('.preview').textContent()).toContain('This decides 2 items');
    await page.locator('#decide button[type=submit]').click();
    await expect.poll(() => notice(page).textContent()).toBe('2 items: assignee changed by anna.');

    await page.keyboard.press('p');
    const pattern = page.locator('[data-pattern]');
    await expect.poll(() => pattern.locator('td').first().textContent()).toBe('30 items');
    await picture(page, 'patterns');
    await pattern.locator('button', { hasText: 'Decide all' }).click();
    await page.locator('#decide [data-kind=accept]').click();
    await page.locator('#decide [name=reason]').fill('new price list');
    await page.locator('#decide button[type=submit]').click();
    await expect.poll(() => page.locator('.preview').textContent()).toContain('This decides 30 items');
    await picture(page, 'preview');
    await page.locator('#decide button[type=submit]').click();
    await expect.poll(() => notice(page).textContent()).toBe('30 items: accepted by anna.');
    await expect.poll(() => pattern.count()).toBe(0);
    await page.keyboard.press('i');
    await expect.poll(() => rows(page).count()).toBe(3);
  });

  test.each([320, 390, 600])(
    'on a screen of %i pixels, no text of an item is on another one',
    async (width) => {
      const page = await open(await shop(), 'anna', { viewport: { width, height: 844 } });
      expect(await page.evaluate(textsOnOthers)).toEqual([]);
      // The longest that there are.
      await page.evaluate(`for (const row of document.querySelectorAll('#rows tr')) {
      row.querySelector('.code').textContent = 'REVERSAL_WITHOUT_CHARGEBACK';
      row.querySelector('.status').textContent = 'waiting until 2026-11-30';
    }`);
      expect(await page.evaluate(textsOnOthers)).toEqual([]);
      const wider = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect(wider).toBeLessThanOrEqual(0);
    },
  );

  test('on a phone, a pattern shows each value with its name and breaks none of them', async () => {
    const page = await open(await shop(), 'anna', { viewport: { width: 320, height: 844 } });
    await page.keyboard.press('p');
    await page.locator('[data-pattern]').waitFor();
    await picture(page, 'narrow-patterns');
    const cells = await page.evaluate(valuesOfPattern);
    expect(cells).toEqual([
      ['"Items"', '30 items', 1],
      ['"Code"', 'AMOUNT_MISMATCH', 1],
      ['"Account"', expect.stringMatching(/^[0-9a-f]{32}$/), 2],
      ['"Expected"', '100.00', 1],
      ['"Actual"', '90.00', 1],
      ['"At risk"', '300.00 EUR missing', 1],
    ]);
  });

  test('fits a narrow and a dark screen', async () => {
    const installation = await shop();
    const page = await open(installation, 'anna', {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    await picture(page, 'narrow');
    await rows(page).first().locator('.message').click();
    await page.locator('#detail pre').waitFor();
    await picture(page, 'narrow-item');
    const wider = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(wider).toBeLessThanOrEqual(0);
  });
});

/** Runs in the browser: the cells of the list whose texts cover a part of another one. */
const textsOnOthers = `[...document.querySelectorAll('#rows tr')].flatMap((row) => {
  const shown = [...row.children].filter((cell) => cell.offsetWidth > 0 && cell.textContent.trim() !== '');
  const places = shown.map((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return [cell.textContent, text.getBoundingClientRect()];
  });
  return places.flatMap(([text, a], at) =>
    places
      .slice(at + 1)
      .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
      .map(([other]) => text + ' / ' + other),
  );
})`;

/** Runs in the browser: the name before each value of the first pattern, the value, and on how many lines it is. */
const valuesOfPattern = `[...document.querySelectorAll('[data-pattern] td')].slice(0, 6).map((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell.querySelector('div, span') ?? cell);
  const lines = new Set([...text.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
  return [getComputedStyle(cell, '::before').content, cell.textContent, lines.size];
})`;
