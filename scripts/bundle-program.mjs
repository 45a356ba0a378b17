import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
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

const loadsFromFolder = (specifier) => /^[^./]/.test(specifier) && !bundled.has(packageOf(specifier));

/** A module and all that it imports; what it imports only when it is needed is not among them. */
function withImports(roots, moduleInfo) {
  const found = new Set();
  const open = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(moduleInfo(id)?.importedIds ?? []));
  }
  return found;
}

/**
 * What nearly every command loads, and what the commands of each kind share. Each is one part: Node takes half a
 * millisecond of processor time to find, read and link a part, and without this a run had 119 of them.
 */
const sharedParts = [
  { name: 'start', roots: [['errors', 'cli/hang-up', 'cli/interrupted', 'cli/program']] },
  { name: 'context', roots: [['cli/open-context']] },
  { name: 'lists', roots: [['cli/commands/items'], ['cli/commands/run']] },
  { name: 'run', roots: [['cli/commands/run'], ['cli/commands/rerun']] },
];

/** @param roots a module belongs to the part if it is needed by each of these sets of modules */
function groupOf(root, { name, roots }, index) {
  let sets;
  return {
    debugName: name,
    priority: sharedParts.length - index,
    includeDependenciesRecursively: false,
    name: (id, bundling) => {
      sets ??= roots.map((names) =>
        withImports(
          names.map((each) => path.join(root, 'src', `${each}.ts`)),
          (each) => bundling.getModuleInfo(each),
        ),
      );
      return sets.every((set) => set.has(id)) ? name : null;
    },
  };
}

/**
 * How rolldown bundles the command line into dist/cli/main.js and dist/cli/parts. Parts are named .mjs: Node then knows
 * without looking that they are modules. To find that out for a .js, it puts together the names of four `package.json`
 * for each part. The program keeps its name, which is in `bin`.
 */
export const bundleOf = (root) => ({
  cwd: root,
  input: { main: 'src/cli/main.ts' },
  platform: 'node',
  transform: { target: 'node20' },
  external: (specifier, _importer, isResolved) => !isResolved && loadsFromFolder(specifier),
  preserveEntrySignatures: false,
  output: {
    dir: 'dist/cli',
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name]-[hash].mjs',
    comments: false,
    codeSplitting: { groups: sharedParts.map((part, index) => groupOf(root, part, index)) },
  },
});

/** Writes the licences of the packages in the bundle beside it: each of them asks that a copy contains it. */
export function writeLicences(root, { output }) {
  const files = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  const folders = files.map(
    (file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.relative(root, file))?.[0],
  );
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
