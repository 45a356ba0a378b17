import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');
// Within node_modules, where the packages that a child imports are found.
const folder = path.join(root, 'node_modules/.cache/recon-test-children');

/**
 * Compiles a script that tests start as a separate process, so that it runs on the built program like the command
 * line. A start takes 0.3 s of processor time; compiling the sources at each start took 0.8 s, and more without a cache
 * (measured). Imports of other files of the tests are compiled with it.
 *
 * @returns the path of the module to start
 */
export function compiledChild(script: string): string {
  if (!existsSync(path.join(root, 'dist/index.js'))) {
    throw new Error('The tests start processes of the built program: run `npm run compile` first.');
  }
  const { outputText } = ts.transpileModule(readFileSync(script, 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  const text = outputText.replace(/(?<=from ')\.[^']+/g, (specifier) => {
    const imported = path.resolve(path.dirname(script), specifier);
    const inSource = path.relative(path.join(root, 'src'), imported);
    if (!inSource.startsWith('..')) return path.join(root, 'dist', inSource);
    return compiledChild(imported.replace(/\.js$/, '.ts'));
  });
  mkdirSync(folder, { recursive: true });
  // Other accounts start it too, whatever the umask is.
  for (const each of [path.dirname(folder), folder]) {
    if ((statSync(each).mode & 0o055) !== 0o055) chmodSync(each, 0o755);
  }
  const compiled = path.join(
    folder,
    `${path.relative(root, script).replaceAll(path.sep, '-').slice(0, -3)}.mjs`,
  );
  // Other test files may compile it at the same time.
  writeFileSync(`${compiled}.${process.pid}`, text);
  chmodSync(`${compiled}.${process.pid}`, 0o644);
  renameSync(`${compiled}.${process.pid}`, compiled);
  return compiled;
}
