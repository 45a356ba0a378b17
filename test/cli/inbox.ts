import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { RunOutcome } from '../../src/outcome.js';
import type { Installation } from './installation.js';

/** A configuration whose one source reads every file of the folder `inbox`, with these further settings. */
export const inboxConfig = (...settings: readonly string[]): string =>
  [
    'sources:',
    '  - name: bank',
    '    protocol: local',
    '    folder: inbox',
    "    filePattern: '*'",
    ...settings.map((setting) => `    ${setting}`),
    '',
  ].join('\n');

/** The file in which a sender announces totals. */
export const announcedTotals = (records: number, ...sums: readonly string[]): string =>
  [`Records;${records}`, ...sums, ''].join('\n');

type ReportedFile = RunOutcome['files'][number];

/** Each file of a run in a line: `a.csv rejected FILE_HEADER`. */
export const statusesOf = ({ files }: RunOutcome): string[] => files.map((file) => lineOf(file, []));

/** The same with the packed file that each came in: `a.csv in a.csv.gz loaded`. */
export const packedStatusesOf = ({ files }: RunOutcome): string[] =>
  files.map((file) => lineOf(file, file.packedIn === undefined ? [] : [`in ${file.packedIn}`]));

const lineOf = ({ name, status, error }: ReportedFile, origin: readonly string[]) =>
  [name, ...origin, status, ...(error === null ? [] : [error.code])].join(' ');

/** The names in a folder of an installation. */
export const namesIn = (installation: Installation, folder = 'inbox'): string[] =>
  readdirSync(path.join(installation.directory, folder)).sort();
