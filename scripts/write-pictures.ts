import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright-core';

/**
 * Makes the pictures of docs/finance.md from the page of the demo:
 * `npm run compile && npx tsx scripts/write-pictures.ts`. It needs Chromium (Debian: `apt-get install chromium`). The
 * demo always gives the same page.
 */
const root = path.resolve(import.meta.dirname, '..');
const pictures = path.join(root, 'docs/pictures');
const folder = mkdtempSync(path.join(tmpdir(), 'recon-pictures-'));
mkdirSync(pictures, { recursive: true });

const demo = spawnSync(process.execPath, [path.join(root, 'dist/cli/main.js'), 'demo', '--json'], {
  cwd: folder,
  encoding: 'utf8',
});
if (demo.status !== 0) throw new Error(demo.stderr);
const { reports } = JSON.parse(demo.stdout) as { reports: { page: string } };

/** Light and without colours of the desktop, so that everybody's pictures look alike. */
const looks = { colorScheme: 'light', deviceScaleFactor: 1, reducedMotion: 'reduce' } as const;

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const wide = await open({ width: 1100, height: 900 });
  await take(wide, 'page-top', { from: '.top', to: '.contents' });
  await take(wide, 'page-totals', { from: '#totals', to: '#totals ~ table' });
  await take(wide, 'page-items', { from: '#items', to: 'table.items tbody tr:nth-child(3)' });
  const phone = await open({ width: 390, height: 800 });
  await take(phone, 'page-phone', { from: '.top', to: '.contents' });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function open(viewport: { width: number; height: number }): Promise<Page> {
  const page = await browser.newPage({ viewport, ...looks });
  await page.goto(pathToFileURL(reports.page).href);
  return page;
}

/** The page between the top of one element and the bottom of another, in its whole width. */
async function take(page: Page, name: string, { from, to }: { from: string; to: string }): Promise<void> {
  const [top, bottom] = [
    await page.locator(from).first().boundingBox(),
    await page.locator(to).first().boundingBox(),
  ];
  if (top === null || bottom === null) throw new Error(`${from} or ${to} is not on the page`);
  const y = Math.max(top.y - 24, 0);
  await page.screenshot({
    path: path.join(pictures, `${name}.png`),
    fullPage: true,
    clip: { x: 0, y, width: page.viewportSize()?.width ?? 0, height: bottom.y + bottom.height + 16 - y },
  });
}
