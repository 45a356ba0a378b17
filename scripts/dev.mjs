import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * `npm run dev`: compiles on every change, so that `dist` is never stale, and runs the unit tests that the
 * change reaches. Ends both when one ends.
 */
const require = createRequire(import.meta.url);
// The package does not export its program, so its path is put together.
const vitest = path.join(path.dirname(require.resolve('vitest/package.json')), 'vitest.mjs');
const commands = [
  [path.join(import.meta.dirname, 'compile.mjs'), '--watch'],
  [vitest, '--watch', '--project', 'unit', ...process.argv.slice(2)],
];
const children = commands.map((args) => spawn(process.execPath, args, { stdio: 'inherit' }));
for (const child of children) {
  child.on('exit', (code) => {
    for (const other of children) other.kill();
    process.exitCode ??= code ?? 1;
  });
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
