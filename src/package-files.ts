import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Where this module is; undefined where a bundler compiled it to CommonJS. */
const moduleFolder: string | undefined = import.meta.dirname;

/** Whether a `package.json` is that of recon, also under another name: it has the command `recon`. */
function isPackageOfRecon(file: string): boolean {
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (typeof content !== 'object' || content === null || !('bin' in content)) return false;
  return typeof content.bin === 'object' && content.bin !== null && 'recon' in content.bin;
}

/**
 * How many levels this module is below the package differs: in `src`, in `dist`, and in the bundle of the program.
 * @throws Error when the nearest package is another one. Its migrations must not be taken for those of recon.
 */
function findPackage(): string {
  let folder = moduleFolder;
  while (folder !== undefined) {
    const file = path.join(folder, 'package.json');
    if (existsSync(file)) {
      if (isPackageOfRecon(file)) return folder;
      break;
    }
    const above = path.dirname(folder);
    folder = above === folder ? undefined : above;
  }
  throw new Error(
    'recon reads files of its package, for example its migrations, and does not find them here. If your program is ' +
      'bundled, leave the package out of the bundle (`external`; see "Bundlers" in docs/library.md).',
  );
}

const packageFolder = findPackage();
/** `src` while tests run the sources, else `dist`. */
const [programFolder = ''] = path.relative(packageFolder, moduleFolder).split(path.sep);

/** A file or folder of the package, from its place below `package.json`. */
export function packageFile(place: string): string {
  return path.join(packageFolder, place);
}

/** A file or folder that `npm run compile` copies from `src` to `dist`, from its place in either. */
export function programFile(place: string): string {
  return path.join(packageFolder, programFolder, place);
}
