import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.js';

/** What `package.json` says about this release. */
export interface PackageVersion {
  readonly version: string;
  /** `2026-11-21 00:00:00 +0000`: set together with the version. */
  readonly releasedAt: string;
}

/** @throws Error when `package.json` has none, or cannot be read */
export function readPackageVersion(): PackageVersion {
  const file = packageFile('package.json');
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
