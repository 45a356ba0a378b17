/**
 * Measures the part of the hot path that is our own code: read, split, validate, fingerprint and encode for COPY,
 * without a database. `npx tsx bench/read-and-validate.ts [rows] [quoted|plain|umlauts]`
 */
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { RecordEncoder } from '../src/intake/encode-records.js';
import { readRows } from '../src/settlement-file/read-rows.js';
import { replaceOutcomeCells } from '../src/settlement-file/write-row.js';
import { generateLines, type Flavour } from './generate-lines.js';
import { fileId } from '../src/values/ids.js';

const rows = Number(process.argv[2] ?? 1_000_000);
const flavour = (process.argv[3] ?? 'plain') as Flavour;
const folder = await mkdtemp(join(tmpdir(), 'recon-bench-'));
const path = join(folder, 'settlement.csv');

const output = createWriteStream(path);
for (const lines of generateLines(rows, flavour)) if (!output.write(lines)) await once(output, 'drain');
output.end();
await once(output, 'finish');

function open(): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: 256 * 1024 });
}

async function measure(name: string, work: () => Promise<string>): Promise<void> {
  const cpuBefore = process.cpuUsage();
  const before = performance.now();
  const said = await work();
  const seconds = (performance.now() - before) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  const cpuSeconds = (cpu.user + cpu.system) / 1e6;
  const memory = Math.round(process.memoryUsage().rss / 1024 / 1024);
  process.stdout.write(
    `${name.padEnd(12)} ${seconds.toFixed(2)} s, ${Math.round(rows / seconds / 1000)} k rows/s, cpu ${cpuSeconds.toFixed(2)} s, rss ${memory} MB; ${said}\n`,
  );
}

for (let round = 0; round < 2; round += 1) {
  await measure('read', async () => {
    let count = 0;
    for await (const block of readRows(open())) count += block.rows.length;
    return `${count} rows`;
  });
  await measure('encode', async () => {
    const encoder = new RecordEncoder(fileId(1));
    let accepted = 0;
    let rejected = 0;
    let bytes = 0;
    for await (const block of readRows(open())) {
      for (const row of block.rows) {
        if ('currency' in encoder.add(row)) accepted += 1;
        else rejected += 1;
        if (encoder.isFull) bytes += encoder.take().length;
      }
    }
    return `${accepted} accepted, ${rejected} rejected, ${bytes} bytes`;
  });
  await measure('reconciled', async () => {
    const outcome = {
      txRequestTimeIfEmpty: '2026-11-20 01:00:00 +0000',
      matchingStatus: 'MATCHED',
      matchedTransactions: 'x'.repeat(32),
      chargebackId: '',
    };
    let length = 0;
    for await (const block of readRows(open())) {
      let text = '';
      for (const row of block.rows) {
        try {
          text += replaceOutcomeCells(row, outcome);
        } catch {
          /* a rejected row */
        }
      }
      length += Buffer.byteLength(text);
    }
    return `${length} bytes`;
  });
}
rmSync(folder, { recursive: true });
