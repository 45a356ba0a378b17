import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { onDisk } from '../disk/disk-errors.js';
import { programFile } from '../package-files.js';
import { baseStyle } from '../reporting/page/style.js';
import type { Reply } from './replies.js';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The files of the page by their path, read once: what a request names is looked up here and never becomes the name of
 * a file.
 *
 * @throws ReconError DISK_FAILED
 */
export async function readPageFiles(): Promise<ReadonlyMap<string, Reply>> {
  const folder = programFile('review/assets');
  return onDisk('read the files of the review page', async () => {
    const look = { status: 200, type: types['.css'] ?? '', body: baseStyle };
    const files = new Map<string, Reply>([['/base.css', look]]);
    for (const name of await readdir(folder)) {
      const type = types[path.extname(name)];
      if (type === undefined) continue;
      const reply = { status: 200, type, body: await readFile(path.join(folder, name)) };
      files.set(name === 'index.html' ? '/' : `/${name}`, reply);
    }
    return files;
  });
}
