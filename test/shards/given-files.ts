import path from 'node:path';
import { writeCells } from '../../src/settlement-file/write-row.js';
import type { Installation, Said } from '../campaigns/oracle/play-world.js';
import { readReport, type Row } from '../campaigns/oracle/read-report.js';
import { dayAfter, type OtherStep, type Step } from '../campaigns/oracle/world.js';
import { paymentsFileOf } from '../support/payment-rows.js';
import { chosen, type Choices } from './choices.js';

/** The steps that give a file to an installation. */
export type FileStep = Extract<Step | OtherStep, { readonly kind: 'correct' | 'sheet' | 'change' }>;

/** A file that was made from what one installation says, and what is done with it. */
export interface GivenFile {
  readonly name: string;
  readonly text: string;
  readonly args: (file: string) => readonly string[];
}

/** Undefined if there is nothing that the step could be about. */
export function fileOf(step: FileStep, choices: Choices): Promise<GivenFile | undefined> {
  switch (step.kind) {
    case 'correct':
      return correctedRow(step.choice, choices);
    case 'sheet':
      return filledInSheet(step, choices);
    case 'change':
      return changedPayment(step, choices);
  }
}

export const giveFile = (recon: Installation, { name, text, args }: GivenFile): Promise<Said> =>
  recon.command(args(recon.write(name, text)));

/** One line of a report of rejected rows is given back with valid cells. */
async function correctedRow(choice: number, choices: Choices): Promise<GivenFile | undefined> {
  const runs = await choices.list<{ readonly reportDirectory: string | null }>('runs');
  const row = chosen(
    choice,
    runs.flatMap(({ reportDirectory }) => readReport(path.join(reportDirectory ?? '', 'corrections.csv'))),
  );
  if (row === undefined) return undefined;
  const valid = Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, validCells[cell] ?? cell]),
  );
  return givenBack('corrected.csv', [valid], choices.asOf);
}

/** What is written into the invalid cells of random rows. */
const validCells: Readonly<Record<string, string>> = { '12,50': '100.00', '2026-02-30': '2026-11-10' };

type SheetStep = Extract<OtherStep, { readonly kind: 'sheet' }>;

/** Two rows are filled in; the others come back as they are. */
async function filledInSheet(
  { choice, word, isDry }: SheetStep,
  choices: Choices,
): Promise<GivenFile | undefined> {
  const all = await choices.table('items', '--csv', '--as-of', choices.asOf);
  // Their facts contain the id of a booking, which is different in each installation.
  const rows = all.filter(({ Code }) => Code !== 'CHARGEBACK_BOOKED_TWICE');
  const fits = ({ Decision, PaymentId, File }: Row) =>
    word === 'undo' ? Decision !== '' : word === 'unlink' ? PaymentId !== '' && File !== '' : Decision === '';
  const fitting = rows.filter(fits);
  const picked = [chosen(choice, fitting), chosen(Math.floor(choice / 3), fitting)];
  if (picked[0] === undefined) return undefined;
  const filledIn = rows.map((row) =>
    picked.includes(row) ? { ...row, ...cellsOf(word, choices.asOf) } : row,
  );
  return givenBack('sheet.csv', filledIn, choices.asOf, ...(isDry ? ['--dry-run'] : []));
}

function cellsOf(word: SheetStep['word'], asOf: string): Row {
  if (word === 'accept') return { Decision: word, Reason: 'agreed' };
  return word === 'wait'
    ? { Decision: word, Until: dayAfter(asOf, 1), Assignee: 'anna' }
    : { Decision: word };
}

function givenBack(name: string, rows: readonly Row[], asOf: string, ...more: string[]): GivenFile {
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  return {
    name,
    text: lines.map((line) => `${writeCells(line)}\n`).join(''),
    args: (file) => ['decide', '--file', file, '--as-of', asOf, ...more, '--json'],
  };
}

/** A stored payment with another amount, which contradicts the stored one. */
async function changedPayment(
  { choice, how }: Extract<OtherStep, { readonly kind: 'change' }>,
  choices: Choices,
): Promise<GivenFile | undefined> {
  const payment = chosen(choice, await choices.table('payments', 'export'));
  if (payment === undefined) return undefined;
  const amount = ['100.00', '50.00', '80.00'].find((other) => other !== payment['Amount']);
  return {
    name: 'changed.csv',
    text: paymentsFileOf([{ ...payment, Amount: amount ?? '' }]),
    args: (file) => ['payments', 'import', file, ...(how === undefined ? [] : [how]), '--json'],
  };
}
