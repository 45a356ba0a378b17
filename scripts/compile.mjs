import { chmodSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build, context } from 'esbuild';
import { build as bundle, watch } from 'rolldown';
import { bundleOf, writeLicences } from './bundle-program.mjs';

/**
 * `npm run compile`: compiles each file of src to dist for the library, and bundles the command line. It takes about
 * three seconds, because it does not look at types; `npm run typecheck` does, and `npm run build` writes those of the
 * library.
 * With `--watch`, it does so after each change.
 */
const root = path.resolve(import.meta.dirname, '..');
const modules = readdirSync(path.join(root, 'src'), { recursive: true })
  .filter((name) => name.endsWith('.ts') && name !== path.join('cli', 'main.ts'))
  .map((name) => path.join('src', name));
const library = {
  absWorkingDir: root,
  entryPoints: modules,
  outbase: 'src',
  outdir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
};
const program = bundleOf(root);

if (process.argv.includes('--watch')) {
  await (await context(library)).watch();
  // Without a listener, nothing says that the bundle could not be written.
  watch(program).on('event', (event) => {
    if (event.code === 'ERROR') console.error(event.error.message);
    if (event.code === 'BUNDLE_END') chmodSync(path.join(root, 'dist/cli/main.js'), 0o755);
    if ('result' in event) void event.result.close();
  });
} else {
  rmSync(path.join(root, 'dist/cli/parts'), { recursive: true, force: true });
  const [, written] = await Promise.all([build(library), bundle(program)]);
  chmodSync(path.join(root, 'dist/cli/main.js'), 0o755);
  writeLicences(root, written);
}
