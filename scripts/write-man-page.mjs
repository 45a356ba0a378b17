import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes the manual page from the compiled commands to dist/man/recon.1; a part of `npm run compile`. */
const dist = path.resolve(import.meta.dirname, '../dist');
const [{ commands }, { manPage }, { readPackageVersion }] = await Promise.all(
  ['cli/commands.js', 'cli/man-page.js', 'package-version.js'].map((file) => import(path.join(dist, file))),
);
mkdirSync(path.join(dist, 'man'), { recursive: true });
writeFileSync(path.join(dist, 'man/recon.1'), manPage(commands, readPackageVersion()));
