import { createHash } from 'node:crypto';
import * as z from 'zod';
import { byBytes } from '../../values/by-bytes.js';
import type { AuditPlace } from '../../db/audit-log/audit-head.js';
import type { WrittenFile } from './report-file.js';

/** The last file of a report folder: what belongs to it, so that `recon doctor --reports` can check it. */
export const manifestName = 'manifest.json';

/** The total of a report over all of its files. */
export interface TableTotal {
  readonly parts: number;
  readonly rows: number;
}

const sha256Digits = z.string().regex(/^[0-9a-f]{64}$/);

const manifestShape = z.strictObject({
  files: z.array(
    z.strictObject({
      name: z.string(),
      rows: z.int().min(0).nullable(),
      bytes: z.int().min(0),
      sha256: sha256Digits,
    }),
  ),
  totals: z.record(z.string(), z.strictObject({ parts: z.int().min(0), rows: z.int().min(0) })),
  // Manifests of older versions have none.
  audit: z.strictObject({ number: z.string().regex(/^\d{1,19}$/), hash: sha256Digits }).optional(),
  sha256: z.string(),
});

/**
 * The manifest as text: every file with data rows, bytes and SHA-256 in order of name, then rows per report over all of
 * its parts, and the end of the audit log when it was written, which shows later that the log was cut or written again.
 * It ends with the SHA-256 of itself without that line, so that a change of the manifest alone is noticed.
 */
export function serializeManifest(
  files: readonly WrittenFile[],
  totals: Readonly<Record<string, TableTotal>>,
  audit?: AuditPlace,
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
    ...(audit === undefined ? {} : { audit: { number: audit.number.toString(), hash: audit.hash } }),
  };
  const sha256 = createHash('sha256').update(toJson(content)).digest('hex');
  return toJson({ ...content, sha256 });
}

/** What an intact manifest says; undefined if even one byte of it was changed. */
export function parseManifest(
  text: string,
): { readonly files: readonly WrittenFile[]; readonly audit: AuditPlace | undefined } | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = manifestShape.safeParse(document);
  if (!parsed.success) return undefined;
  const { files, totals, audit: head } = parsed.data;
  const audit = head === undefined ? undefined : { number: BigInt(head.number), hash: head.hash };
  return serializeManifest(files, totals, audit) === text ? { files, audit } : undefined;
}

/** JSON for people and scripts alike: two blanks, a line feed at the end. */
function toJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
