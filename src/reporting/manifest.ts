import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { WrittenFile } from './report-file.js';

/** The last file of a report folder: what belongs to it, so that `recon doctor --reports` can check it. */
export const manifestName = 'manifest.json';

/** The total of a report over all of its files. */
export interface TableTotal {
  readonly parts: number;
  readonly rows: number;
}

const manifestShape = z.strictObject({
  files: z.array(
    z.strictObject({
      name: z.string(),
      rows: z.int().min(0).nullable(),
      bytes: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
  totals: z.record(z.string(), z.strictObject({ parts: z.int().min(0), rows: z.int().min(0) })),
  sha256: z.string(),
});

/** Text order by bytes, as the database sorts with collation "C". */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * The manifest as text: every file with data rows, bytes and SHA-256 in order of name, then rows per report
 * over all of its parts. It ends with the SHA-256 of itself without that line, so that a change
 * of the manifest alone is noticed.
 */
export function serializeManifest(
  files: readonly WrittenFile[],
  totals: Readonly<Record<string, TableTotal>>,
): string {
  const content = {
    files: [...files]
      .sort((a, b) => byBytes(a.name, b.name))
      .map(({ name, rows, bytes, sha256 }) => ({ name, rows, bytes, sha256 })),
    totals: Object.fromEntries(
      Object.entries(totals)
        .sort(([a], [b]) => byBytes(a, b))
        .map(([name, { parts, rows }]) => [name, { parts, rows }]),
    ),
  };
  const sha256 = createHash('sha256').update(toJson(content)).digest('hex');
  return toJson({ ...content, sha256 });
}

/** The files that an intact manifest lists; undefined if even one byte of it was changed. */
export function parseManifest(text: string): readonly WrittenFile[] | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = manifestShape.safeParse(document);
  if (!parsed.success) return undefined;
  const { files, totals } = parsed.data;
  return serializeManifest(files, totals) === text ? files : undefined;
}

/** JSON for people and scripts alike: two blanks, a line feed at the end. */
export function toJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
