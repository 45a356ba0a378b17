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
