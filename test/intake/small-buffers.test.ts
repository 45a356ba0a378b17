import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPieces } from '../../src/disk/read-pieces.js';
import { RecordEncoder } from '../../src/intake/encode-records.js';
import { readLocalFile } from '../../src/remote/local-folder.js';
import { RowZipper } from '../../src/reporting/reconciled/zip-rows.js';
import { parseOutcome } from '../../src/reporting/reconciled/row-result.js';
import { readRows, type RawRow } from '../../src/settlement-file/read-rows.js';
import { fileId } from '../../src/values/ids.js';
import { fileOfRows, settlementRow } from '../support/settlement-rows.js';
import { folderForAllTests } from '../support/test-folder.js';

/**
 * Buffers lie outside of the heap, and Node.js collects all garbage when enough of them have been made:
 * 4.6 MB for each file, whatever its size, were a collection for every second or third of 150 small files.
 */
const smallFile = fileOfRows([settlementRow(), settlementRow(), settlementRow()]);
const most = 64 * 1024;

const folder = folderForAllTests();

function storedFile(name: string, content: string | Buffer): string {
  const file = path.join(folder.path, name);
  writeFileSync(file, content);
  return file;
}

async function rowsOf(text: string): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  const chunks = (async function* () {
    yield await Promise.resolve(Buffer.from(text));
  })();
  for await (const block of readRows(chunks)) rows.push(...block.rows);
  return rows;
}

describe('a small file', () => {
  test('is read from the archive into a small buffer, a large one into one of the size that was asked for', async () => {
    const sizes = async (file: string) => {
      const found: number[] = [];
      for await (const piece of readPieces(file, 512 * 1024)) found.push(piece.buffer.byteLength);
      return found;
    };
    expect(await sizes(storedFile('small', smallFile))).toEqual([most]);
    expect(await sizes(storedFile('large', Buffer.alloc(600 * 1024)))).toEqual([
      most,
      512 * 1024,
      512 * 1024,
    ]);
  });

  test('is received into a buffer of its size', async () => {
    const sizes: number[] = [];
    const file = storedFile('received', smallFile);
    await readLocalFile(file, 'the folder', new AbortController().signal, (chunk) => {
      sizes.push(chunk.buffer.byteLength);
      return Promise.resolve();
    });
    expect(sizes).toHaveLength(1);
    // A small buffer is a part of the pool of Node.js, which is a little larger than 64 KB since version 26.
    expect(sizes[0]).toBeLessThan(2 * most);
  });

  test('is encoded for the database and written to its report in small buffers, which grow for a larger one', async () => {
    const rows = await rowsOf(smallFile);
    const large = await rowsOf(fileOfRows(Array.from({ length: 400 }, () => settlementRow())));
    const encoder = new RecordEncoder(fileId(1));
    const zipper = new RowZipper('2026-11-20 08:00:00+0000');
    const add = (each: RawRow) => {
      encoder.add(each);
      zipper.add(each, parseOutcome('MATCHED;=;'));
    };
    rows.forEach(add);
    const small = [encoder.take(), zipper.take()];
    expect(small.map(({ buffer }) => buffer.byteLength <= most)).toEqual([true, true]);
    large.forEach(add);
    const lines = [encoder.take(), zipper.take()].map((bytes) => bytes.toString().split('\n').length - 1);
    expect(lines).toEqual([400, 400]);
    expect(small.map((bytes) => bytes.toString().split('\n').length - 1)).toEqual([3, 3]);
  });
});
