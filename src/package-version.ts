import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What `package.json` says about this release. */
export interface PackageVersion {
  readonly version: string;
  /** `2026-11-21 00:00:00 +0000`: set together with the version. */
  readonly releasedAt: string;
}

/** One level up from here, in `src` as in `dist`. */
export function readPackageVersion(): PackageVersion {
  const file = path.resolve(import.meta.dirname, '../package.json');
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (
    typeof content !== 'object' ||
    content === null ||
    !('version' in content) ||
    !('releasedAt' in content)
  ) {
    throw new Error(`${file} has no version and releasedAt.`);
  }
  return { version: String(content.version), releasedAt: String(content.releasedAt) };
}
