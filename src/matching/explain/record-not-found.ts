import { ReconError } from '../../errors.js';
import { whyNoRecordAt } from '../../findings/no-record-at.js';
import type { Tx } from '../fragment.js';
import { fileAndLineOf, filesNamed } from './find-record.js';

/**
 * The error if no record has the reference: the row was rejected, its file was not loaded or its records were removed,
 * there is no such line, or it was never stored.
 */
export async function recordNotFound(tx: Tx, reference: string): Promise<ReconError> {
  const place = fileAndLineOf(reference);
  if (place === null) {
    const file = await retiredFileOf(tx, reference);
    return file === undefined
      ? new ReconError('RECORD_NOT_FOUND', `No stored record is known as "${reference}".`)
      : recordsRetired(file);
  }
  const { sentence, removedFrom } = await whyNoRecordAt(tx, { ...place, files: filesNamed(tx, place.file) });
  return removedFrom === null ? new ReconError('RECORD_NOT_FOUND', sentence) : recordsRetired(removedFrom);
}

function recordsRetired(file: string): ReconError {
  return new ReconError(
    'RECORDS_RETIRED',
    `The records of ${file} were removed by \`recon retire\` or \`recon purge\`, so there is nothing to explain.`,
  );
}

/** The file of the record that a finding was about, if its records were removed. The finding stays. */
async function retiredFileOf(tx: Tx, discrepancyId: string): Promise<string | undefined> {
  const [file] = await tx<{ name: string }[]>`
    select f.name from discrepancies d join settlement_files f on f.id = d.file_id
    where d.id = ${discrepancyId} and f.status = 'retired'`;
  return file?.name;
}
