import { existsSync } from 'node:fs';
import path from 'node:path';

/** How many levels this module is below the package differs: in `src`, in `dist`, and in the bundle of the program. */
function findPackage(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'package.json'))) {
    const above = path.dirname(folder);
    if (above === folder) throw new Error(`No folder above ${import.meta.dirname} has a package.json.`);
    folder = above;
  }
  return folder;
}

const packageFolder = findPackage();
/** `src` while tests run the sources, else `dist`. */
const [programFolder = ''] = path.relative(packageFolder, import.meta.dirname).split(path.sep);

/** A file or folder of the package, from its place below `package.json`. */
export function packageFile(place: string): string {
  return path.join(packageFolder, place);
}

/** A file or folder that `npm run compile` copies from `src` to `dist`, from its place in either. */
export function programFile(place: string): string {
  return path.join(packageFolder, programFolder, place);
}
