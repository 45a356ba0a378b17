import { expect } from 'vitest';
import { chanceFrom } from '../support/campaign.js';
import { isBlank, judgeFast, judgePlainly, type JudgedRow } from './judge-file.js';
import { mutatedFile } from './mutated-files.js';

/** What was made of a number of files; both ways agreed on all of it. */
export interface Agreement {
  files: number;
  refusedFiles: number;
  refusedRows: number;
  acceptedRows: number;
  /** The processor time of the slowest file, in milliseconds. */
  slowestMs: number;
}

export const noAgreement = (): Agreement => ({
  files: 0,
  refusedFiles: 0,
  refusedRows: 0,
  acceptedRows: 0,
  slowestMs: 0,
});

/**
 * Judges the mutated file of a number in both ways, which must agree: the same rows with the same issues and the
 * same stored values, or both refuse the file. Anything else that is thrown is a crash and fails the test.
 * @returns the rows that both accept
 */
export async function compareJudgements(number: number, agreement: Agreement): Promise<readonly JudgedRow[]> {
  const chance = chanceFrom(number);
  const bytes = mutatedFile(chance);
  const chunkSize = chance.pick([1 + chance.integer(0, 40), 1000, 64 * 1024]);
  const before = process.cpuUsage();
  const fast = await judgeFast(bytes, chunkSize);
  const { user, system } = process.cpuUsage(before);
  agreement.files += 1;
  agreement.slowestMs = Math.max(agreement.slowestMs, (user + system) / 1000);
  const plain = judgePlainly(bytes);
  const what = `the file of SEED ${number}: ${bytes.toString('base64')}`;
  if (fast === 'refused' || plain === 'refused') {
    expect(fast, what).toEqual(plain);
    agreement.refusedFiles += 1;
    return [];
  }
  // A quoted empty line at the end is a row here; what csv-parse gives does not tell it from a blank one.
  const rows = [...fast];
  while (rows.length > plain.length && isBlank(rows.at(-1)?.cells)) rows.pop();
  expect(rows, what).toEqual(plain);
  const accepted = plain.filter((row) => row.stored !== null);
  agreement.acceptedRows += accepted.length;
  agreement.refusedRows += plain.length - accepted.length;
  return accepted;
}
