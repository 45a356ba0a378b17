import type { Writable } from 'node:stream';
import { toDiskError } from '../disk/disk-errors.js';
import { writePiece } from '../disk/write-piece.js';
import { copyOut } from '../db/copy.js';
import type { Sql } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import { requireConnection } from '../db/require-connection.js';
import { readShards } from '../db/shards/enter-shards.js';
import { isDivided } from '../db/shards/is-divided.js';
import { inOwnTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import { paymentColumns, writtenValue } from './payment-columns.js';

/**
 * Writes the stored payments in the format that `importPayments` reads, in the order of their ids, so that the same
 * payments give the same bytes. Chargebacks (CB, CR) are left out: they are booked from settlement files, and the
 * format does not include them. The stream is not ended.
 *
 * @throws ReconError of the database; DISK_FULL, DISK_FAILED, USAGE_INVALID if the stream fails
 */
export async function exportPayments(sql: Sql, out: Writable): Promise<{ readonly written: number }> {
  requireConnection('exportPayments', 'sql', sql);
  let failure: Error | undefined;
  // An error between two pieces would end a program that does not listen for it.
  const keep = (error: Error) => (failure = error);
  out.on('error', keep);
  try {
    return await copyPayments(sql, async (block) => {
      try {
        if (failure !== undefined) throw failure;
        await writePiece(out, block);
      } catch (thrown) {
        throw streamFailure(thrown);
      }
    });
  } finally {
    out.off('error', keep);
  }
}

async function copyPayments(
  sql: Sql,
  write: (block: Buffer) => Promise<void>,
): Promise<{ readonly written: number }> {
  const isOnShards = await isDivided(sql).catch((thrown: unknown) => {
    throw toReconError(thrown) ?? thrown;
  });
  return inOwnTransaction(sql, async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`;
    if (isOnShards) await readShards(tx);
    const types = `payment_type not in ('CB', 'CR')`;
    const [counted] = await tx.unsafe<{ total: bigint }[]>(
      `select count(*) as total from payments where ${types}`,
    );
    const columns = paymentColumns.map(({ name, stored }) => `${writtenValue(stored, 'p')} as "${name}"`);
    const rows = await copyOut(
      tx,
      `copy (select ${columns.join(', ')} from payments p where ${types} order by id)
       to stdout with (format csv, delimiter ';', header)`,
    );
    for await (const block of rows) {
      await write(block);
    }
    return { written: Number(counted?.total ?? 0n) };
  });
}

/** The stream belongs to the program that exports, so its failure is not a defect of recon. */
function streamFailure(thrown: unknown): ReconError {
  const code = thrown instanceof Error && 'code' in thrown ? ` (${String(thrown.code)})` : '';
  return (
    toDiskError('write the payments', thrown) ??
    new ReconError('USAGE_INVALID', `The stream failed before all payments were written to it${code}.`, {
      cause: thrown,
    })
  );
}
