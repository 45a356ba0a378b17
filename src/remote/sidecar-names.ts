import { matchesGlob } from './file-names.js';

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

/** `{name}.totals` → `*.totals` */
function sidecarGlob(pattern: string): string {
  return pattern.replaceAll('{name}', '*').replaceAll('{base}', '*');
}
