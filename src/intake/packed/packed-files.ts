import type { Tx } from '../../db/client.js';
import type { UnpackedFile } from './unpack.js';

/** Remembers what was inside a packed file. The same bytes always contain the same files. */
export async function rememberPacked(
  tx: Tx,
  packed: { readonly name: string; readonly sha256: string },
  files: readonly UnpackedFile[],
): Promise<void> {
  for (const [position, { name, sha256 }] of files.entries()) {
    await tx`
      insert into packed_files (packed_sha256, position, packed_name, name, sha256)
      values (${packed.sha256}, ${position}, ${packed.name}, ${name}, ${sha256})
      on conflict (packed_sha256, position) do nothing`;
  }
}

/** The SHA-256 of the files that were inside a packed file; empty if no packed file has these bytes. */
export async function filesInside(tx: Tx, packedSha256: string): Promise<string[]> {
  const rows = await tx<{ sha256: string }[]>`
    select sha256 from packed_files where packed_sha256 = ${packedSha256} order by position`;
  return rows.map(({ sha256 }) => sha256);
}

/**
 * The packed file that each of these files was in, by SHA-256; those that came plain have none. Of several, the first
 * by name that has the file under the name with which it was registered.
 */
export async function packedNames(tx: Tx, sha256s: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx<{ sha256: string; packedName: string }[]>`
    select p.sha256, min(p.packed_name) as "packedName"
    from packed_files p join settlement_files f on f.sha256 = p.sha256 and f.name = p.name
    where p.sha256 = any (${[...sha256s]}::text[]) group by p.sha256`;
  return new Map(rows.map(({ sha256, packedName }) => [sha256, packedName]));
}
