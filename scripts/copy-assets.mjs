import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';

/** Copies the files that browsers read beside the compiled program; a part of `npm run compile`. */
const root = path.resolve(import.meta.dirname, '..');
for (const folder of ['review/assets', 'http/widget/assets']) {
  const target = path.join(root, 'dist', folder);
  rmSync(target, { recursive: true, force: true });
  cpSync(path.join(root, 'src', folder), target, {
    recursive: true,
    filter: (source) => path.basename(source) !== 'tsconfig.json',
  });
}
