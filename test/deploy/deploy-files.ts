import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** A file below `deploy`. */
export const deployFile = (name: string): string => readFileSync(path.join(root, 'deploy', name), 'utf8');

/** A folder that has `recon` and `node` as an installation has them, to be put in front of a PATH. */
export function binFolder(directory: string): string {
  const bin = path.join(directory, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, path.join(bin, 'node'));
  const recon = path.join(bin, 'recon');
  writeFileSync(recon, `#!/bin/sh\nexec node ${path.join(root, 'dist/cli/main.js')} "$@"\n`);
  chmodSync(recon, 0o755);
  return bin;
}
