import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderPage } from '../../../src/reporting/page/page.js';
import { needs } from '../../support/needs.js';
import { folderForAllTests } from '../../support/test-folder.js';
import { sampleModel } from './sample-model.js';

const browserNeed = needs.chromium();

/** The page as a browser shows it: with no item, with some, and with more than it has room for. */
describe.skipIf(!browserNeed.isMet)('the morning page in Chromium', browserNeed.orSkipped, () => {
  const folder = folderForAllTests();
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    // Root in a container has no sandbox; the page is ours.
    browser = await chromium.launch({ executablePath: browserNeed.command, args: ['--no-sandbox'] });
    for (const total of [0, 50, 600_000]) {
      writeFileSync(path.join(folder.path, `${total}.html`), renderPage(await sampleModel(total)));
    }
  });

  afterAll(() => browser.close());

  async function open(
    total: number,
    options: Parameters<Browser['newPage']>[0] = { viewport: { width: 1280, height: 900 } },
  ): Promise<Page> {
    const page = await browser.newPage(options);
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) complaints.push(request.url());
    });
    await page.goto(pathToFileURL(path.join(folder.path, `${total}.html`)).href);
    return page;
  }

  const overflow = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  test.each([0, 50, 600_000])(
    '%i items: no horizontal scroll from 320 to 1,280 pixels, no complaint',
    async (total) => {
      for (const width of [320, 360, 414, 720, 960, 1280]) {
        const page = await open(total, { viewport: { width, height: 800 } });
        expect(await overflow(page), `${width} pixels`).toBe(0);
        await page.close();
      }
      expect(complaints).toEqual([]);
    },
  );

  test('every text keeps its contrast, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(50, { viewport: { width: 1280, height: 900 }, colorScheme });
      expect(await page.evaluate(`(${lowestContrast.toString()})()`)).toBeGreaterThanOrEqual(4.5);
      await page.close();
    }
  });

  test('without a script the page has the same rows, and no controls', async () => {
    const page = await open(50, { javaScriptEnabled: false });
    expect(await page.locator('table.items tbody tr:visible').count()).toBe(50);
    expect(await page.locator('#controls').isVisible()).toBe(false);
    await page.close();
  });

  test('search, choices and "new only" filter the rows and say how many are shown', async () => {
    const page = await open(50);
    const rows = page.locator('table.items tbody tr:visible');
    expect(await rows.count()).toBe(50);
    await page.getByLabel('Severity').selectOption('warning');
    const warnings = await rows.count();
    expect(warnings).toBeGreaterThan(0);
    expect(await page.locator('table.items tbody tr[data-severity=warning]').count()).toBe(warnings);
    expect(await page.getByRole('status').textContent()).toBe(`${warnings} of 50 rows shown`);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('Search').fill('order-7 bank');
    expect(await rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('new only').check();
    expect(await rows.count()).toBe(await page.locator('table.items tr[data-new="1"]').count());
    await page.close();
  });

  test('a column is sorted with the keyboard, and the table says how', async () => {
    const page = await open(50);
    const ages = async () =>
      (await page.locator('table.items tbody td:nth-child(4)').allTextContents()).map(Number);
    await page.getByRole('button', { name: 'Age, days' }).focus();
    await page.keyboard.press('Enter');
    expect(await ages()).toEqual((await ages()).sort((a, b) => b - a));
    await page.keyboard.press('Enter');
    expect(await ages()).toEqual((await ages()).sort((a, b) => a - b));
    expect(await page.getByRole('columnheader', { name: 'Age, days' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    await page.close();
  });

  test('on a phone a table is still a table for a screen reader', async () => {
    const page = await open(50, { viewport: { width: 360, height: 740 } });
    expect(
      await page.getByRole('table', { name: 'Open and waiting items', exact: true }).getByRole('row').count(),
    ).toBe(51);
    await page.close();
  });

  test('printed it is light, has no controls, and fits the width of the paper', async () => {
    // A4 less the margins of the page, at 96 pixels to the inch.
    const page = await open(50, { viewport: { width: 702, height: 1000 }, colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(29, 31, 34)');
    expect(await page.locator('#controls').isVisible()).toBe(false);
    expect(await overflow(page)).toBe(0);
    await page.close();
  });

  test('printed, the header of the items has no buttons, with which Chromium does not repeat it', async () => {
    const page = await open(50);
    const buttons = page.locator('table.items thead button');
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await buttons.count()).toBe(0);
    expect(await page.locator('table.items thead').innerText()).toContain('At risk');
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await buttons.count()).toBe(6);
    await page.close();
  });
});

/**
 * Runs in the browser: the lowest contrast of a visible text with the ground behind it. No type of the DOM is known
 * here, so the function is sent as text.
 */
function lowestContrast(): number {
  /* eslint-disable -- plain script for the browser */
  // @ts-nocheck
  const dom = globalThis as any;
  const rgb = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (parts: number[]) => {
    const [r, g, b] = parts.slice(0, 3).map((each) => {
      const part = each / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element: any): number[] => {
    for (let each = element; each; each = each.parentElement) {
      const colour = rgb(dom.getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || (colour[3] ?? 0) > 0) return colour;
    }
    return [255, 255, 255];
  };
  let lowest = 21;
  for (const element of dom.document.body.querySelectorAll('*')) {
    const hasText = [...element.childNodes].some(
      (node: any) => node.nodeType === 3 && node.data.trim() !== '',
    );
    if (!hasText || element.getClientRects().length === 0 || element.closest('svg,script,style')) continue;
    const [a, b] = [luminance(rgb(dom.getComputedStyle(element).color)), luminance(ground(element))];
    lowest = Math.min(lowest, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return lowest;
  /* eslint-enable */
}
