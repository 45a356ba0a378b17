import { judgeName, matchesGlob } from './file-names.js';

/** `{name}.totals`, `settlement.csv` → `settlement.csv.totals`. */
export function sidecarName(pattern: string, fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  const base = dot > 0 ? fileName.slice(0, dot) : fileName;
  return pattern.replaceAll('{name}', () => fileName).replaceAll('{base}', () => base);
}

/** Whether a name is that of a sidecar; such a file is never a settlement file, even if `filePattern` matches it. */
export function isSidecar(pattern: string, name: string): boolean {
  return matchesGlob(sidecarGlob(pattern), name);
}

/**
 * Whether `filePattern` matches only names that are those of sidecars. Two patterns compare as text: `*` matches `*`.
 */
export function takesOnlySidecars(pattern: string, filePattern: string): boolean {
  return matchesGlob(sidecarGlob(pattern), filePattern);
}

/**
 * Whether `filePattern` takes the settlement file that a sidecar belongs to: `readme.txt` fits `{base}.txt`, and
 * `settlement-*.csv` does not take `readme.csv`. False for a pattern in which names occur twice: it cannot be taken
 * apart.
 */
export function belongsToTaken(pattern: string, sidecar: string, filePattern: string): boolean {
  const [before = '', after, ...more] = pattern.split(/\{name\}|\{base\}/);
  if (after === undefined || more.length > 0) return false;
  const named = sidecar.slice(before.length, sidecar.length - after.length);
  // `*.csv.gz` → `.csv.gz`
  const extension = filePattern.slice(
    Math.max(filePattern.lastIndexOf('*'), filePattern.lastIndexOf('?')) + 1,
  );
  const names = pattern.includes('{name}') ? ['', '.gz', '.zip'] : [extension];
  return names.some((ending) => judgeName(`${named}${ending}`, filePattern) === 'take');
}

/** `{name}.totals` → `*.totals` */
function sidecarGlob(pattern: string): string {
  return pattern.replaceAll('{name}', '*').replaceAll('{base}', '*');
}
