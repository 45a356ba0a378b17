import { readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The packages that nearly every command loads, and that read no files. The others are loaded from node_modules.
 * `postgres` is one of these: errors that it throws outside of every promise are recognised by its folder.
 */
const bundled = new Set([
  'commander',
  'croner',
  'csv-parse',
  'csv-stringify',
  'temporal-polyfill',
  'temporal-utils',
  'yaml',
  'zod',
]);

const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const loadOthers = {
  name: 'load other packages from node_modules',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path: specifier, kind }) =>
      kind === 'entry-point' || bundled.has(packageOf(specifier))
        ? undefined
        : { path: specifier, external: true },
    );
  },
};

/**
 * Parts are named .mjs: Node then knows without looking that they are modules. To find that out for a .js, it puts
 * together the names of four `package.json` for each part. The program keeps its name, which is in `bin`.
 */
const renameProgram = {
  name: 'the program is main.js',
  setup: ({ initialOptions: { absWorkingDir, outdir }, onEnd }) => {
    const folder = path.join(absWorkingDir, outdir);
    onEnd(({ errors }) => {
      if (errors.length === 0) renameSync(path.join(folder, 'main.mjs'), path.join(folder, 'main.js'));
    });
  },
};

/**
 * How esbuild bundles the command line into dist/cli/main.js and dist/cli/parts. A run would load 760 modules, and Node
 * takes more than half a millisecond of processor time to find, read and link one. As parts, there are 160, because what
 * is imported only when it is needed is in other parts than the rest.
 */
export const bundleOf = (root) => ({
  absWorkingDir: root,
  entryPoints: { main: 'src/cli/main.ts' },
  outdir: 'dist/cli',
  outExtension: { '.js': '.mjs' },
  chunkNames: 'parts/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
  // Some of the packages are CommonJS and load modules of Node.
  banner: {
    js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
  },
  plugins: [loadOthers, renameProgram],
});

/** Writes the licences of the packages in the bundle beside it: each of them asks that a copy contains it. */
export function writeLicences(root, { inputs }) {
  const folders = Object.keys(inputs).map((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const texts = [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .sort()
    .map((folder) => {
      const { name, version } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
      const file = readdirSync(path.join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined) throw new Error(`${name} has no licence to copy.`);
      return `${name} ${version}\n\n${readFileSync(path.join(root, folder, file), 'utf8').trim()}\n`;
    });
  writeFileSync(
    path.join(root, 'dist/cli/third-party-licences.txt'),
    `The command line of recon contains parts of these packages.\n\n${texts.join(`\n${'-'.repeat(72)}\n\n`)}`,
  );
}
