import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { settlementFile } from '../cli/installation.js';
import { recon } from '../cli/recon.js';
import { createFirstRelease, fillFirstRelease, firstReleaseData } from '../db/migration/first-release.js';
import { folderForThisTest } from '../support/test-folder.js';

/** An installation of version 0.1.0, with what that version stored, becomes one of this version. */

interface Finding {
  readonly id: string;
  readonly code: string;
  readonly file_id: number | null;
  readonly line: number | null;
}

/** What version 0.1.0 found: its stories say that it is right. */
const found = (firstReleaseData.tables['discrepancies'] ?? []).map((row) => JSON.parse(row) as Finding);
const files = new Map(
  (firstReleaseData.tables['settlement_files'] ?? [])
    .map((row) => JSON.parse(row) as { id: number; name: string; sha256: string })
    .map(({ id, name, sha256 }) => [id, { name, sha256 }] as const),
);

const expected = {
  'amount-mismatch.csv': ['AMOUNT_MISMATCH:2', 'AMOUNT_MISMATCH:6', 'SETTLEMENT_FAILED:8'],
  'attributes.csv': ['NOT_MATCHED:3', 'NOT_MATCHED:4'],
  'chargebacks.csv': ['CHARGEBACK_WITHOUT_REASON:7', 'NOT_MATCHED:6', 'REVERSAL_WITHOUT_CHARGEBACK:5'],
  'duplicate-settlement.csv': ['DUPLICATE_SETTLEMENT:2', 'SETTLEMENT_FAILED:5'],
  'multiple-matches.csv': ['MULTIPLE_MATCHES:2'],
  'no file': ['MISSING_SETTLEMENT', 'MISSING_SETTLEMENT'],
};

interface Listed {
  readonly discrepancyId: string;
  readonly code: string;
  readonly file: string | null;
  readonly line: number | null;
}

function byFile(listed: readonly Omit<Listed, 'discrepancyId'>[]): Record<string, string[]> {
  const grouped: Record<string, string[]> = {};
  for (const { code, file, line } of listed) {
    (grouped[file ?? 'no file'] ??= []).push(line === null ? code : `${code}:${line}`);
  }
  for (const codes of Object.values(grouped)) codes.sort();
  return grouped;
}

test('a re-run after the update finds what version 0.1.0 found, and runs go on', async () => {
  const release = await createFirstRelease();
  const directory = folderForThisTest();
  onTestFinished(() => release.remove());
  const dataDirectory = path.join(directory, 'data');
  mkdirSync(dataDirectory, { mode: 0o700 });
  await fillFirstRelease(release, dataDirectory);
  const environment = { RECON_DATABASE_URL: release.url, RECON_DATA_DIR: dataDirectory };
  const json = async <T>(code: number, ...args: string[]): Promise<T> => {
    const ended = await recon([...args, '--json'], { cwd: directory, environment });
    expect([args[0], ended.code, ended.code === code ? '' : ended.stdout]).toEqual([args[0], code, '']);
    return JSON.parse(ended.stdout) as T;
  };
  // Later versions derive the id of an AMOUNT_MISMATCH from its payment, so these two are found again under another id.
  const keepsId = ({ code }: { readonly code: string }) => code !== 'AMOUNT_MISMATCH';
  const idsOf = (listed: readonly Listed[]) =>
    listed
      .filter(keepsId)
      .map(({ discrepancyId }) => discrepancyId)
      .sort();
  const ids = found
    .filter(keepsId)
    .map(({ id }) => id)
    .sort();
  expect(ids).toHaveLength(11);

  await json(0, 'migrate');
  const { checks } = await json<{ checks: { ok: boolean; subject: string }[] }>(0, 'doctor', '--reports');
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks.map(({ subject }) => subject)).toContain('archive');

  const range = ['--from', '2026-11-01', '--to', '2026-11-30', '--as-of', '2026-11-20'];
  const rerun = await json<RunOutcome>(0, 'rerun', ...range);
  expect(rerun.matching).toEqual({ MATCHED: 20, MULTIPLE_MATCHES: 1, NOT_MATCHED: 3, NOT_APPLICABLE: 0 });
  const listed = await json<Listed[]>(0, 'discrepancies');
  expect(byFile(listed)).toEqual(expected);
  expect(idsOf(listed)).toEqual(ids);

  // The bytes that version 0.1.0 took are known, and a new file is taken.
  const [known] = [...files.values()];
  writeFileSync(path.join(directory, 'known.csv'), firstReleaseData.archive[known?.sha256 ?? ''] ?? '');
  writeFileSync(path.join(directory, 'new.csv'), settlementFile(1));
  const run = await json<RunOutcome>(
    0,
    ...['run', '--file', 'known.csv', '--file', 'new.csv', '--as-of', '2026-11-20'],
  );
  expect(run.files.map(({ name, status }) => [name, status])).toEqual([
    ['known.csv', 'duplicate'],
    ['new.csv', 'loaded'],
  ]);
  expect(readdirSync(path.join(dataDirectory, 'reports')).sort()).toEqual(['run-000008', 'run-000009']);
  expect(idsOf(await json<Listed[]>(0, 'discrepancies')).filter((id) => ids.includes(id))).toEqual(ids);
});
