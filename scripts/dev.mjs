import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

/**
 * `npm run dev`: compiles on every change, so that `dist` is never stale, and runs the unit tests that the
 * change reaches. Ends both when one ends.
 */
const require = createRequire(import.meta.url);
const commands = [
  [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--watch', '--preserveWatchOutput'],
  [require.resolve('vitest/vitest.mjs'), '--project', 'unit', ...process.argv.slice(2)],
];
const children = commands.map((args) => spawn(process.execPath, args, { stdio: 'inherit' }));
for (const child of children) {
  child.on('exit', (code) => {
    for (const other of children) other.kill();
    process.exitCode ??= code ?? 1;
  });
}
