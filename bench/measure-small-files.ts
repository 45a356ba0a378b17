import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BenchServer } from './bench-server.js';
import { generateParts } from './generate.js';

export interface SmallFilesMeasurement {
  readonly files: number;
  readonly rows: number;
  readonly elapsedMs: number;
  /** The same rows in one file. */
  readonly asOneFileMs: number;
  readonly msPerFile: number;
}

/** What a file costs beyond its rows: a settlement day in a hundred small files, and the same rows in one file. */
export async function measureSmallFiles(
  server: BenchServer,
  template: string,
  linesOf: (rows: number) => (i: number) => string,
  directory: string,
): Promise<SmallFilesMeasurement> {
  const files = 100;
  const rows = 20_000;
  const day = { rows, lineOf: linesOf(rows) };
  const elapsed = async (parts: number): Promise<number> => {
    const database = `files_${parts}`;
    await server.clone(template, database);
    const inbox = path.join(directory, `inbox-${parts}`);
    await generateParts(inbox, day, parts);
    const config = path.join(directory, `inbox-${parts}.yaml`);
    // The files were written just now; by default a source waits a minute before it takes a file.
    writeFileSync(
      config,
      `sources:\n  - { name: inbox, protocol: local, folder: ${inbox}, minimumAgeSeconds: 0 }\n`,
    );
    mkdirSync(path.join(directory, database), { recursive: true });
    const cost = await server.recon(database, ['run', '--config', config, '--as-of', '2026-11-20']);
    await server.drop(database);
    rmSync(path.join(directory, database), { recursive: true, force: true });
    return cost.elapsedMs;
  };
  const asOneFileMs = await elapsed(1);
  const elapsedMs = await elapsed(files);
  return {
    files,
    rows: day.rows,
    elapsedMs,
    asOneFileMs,
    msPerFile: (elapsedMs - asOneFileMs) / (files - 1),
  };
}
