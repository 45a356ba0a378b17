import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { columnIndex, headerLine } from '../../src/settlement-file/columns.js';
import { fingerprintOf } from '../../src/settlement-file/fingerprint.js';
import { cellsOf, textOfRow } from '../../src/settlement-file/read-rows.js';
import { readAll } from '../settlement-file/rows.js';
import { chanceFrom, seed, type Chance } from '../support/campaign.js';
import { createIntakeScene, type IntakeScene, type SentFile } from './intake-scene.js';
import { factsOf } from './stored-facts.js';

/*
 * F71 as a metamorphic test: the right outcome of a shuffled run cannot be written by hand, but it must be
 * that of the same rows in order. The rows are those of the examples, in which every kind of finding occurs.
 */
const fixtures = path.resolve(import.meta.dirname, '../../fixtures');
/** Not those of several steps, which are about what a later file changes. */
export const examples = readdirSync(fixtures).filter(
  (name) =>
    existsSync(path.join(fixtures, name, 'inbound')) && !existsSync(path.join(fixtures, name, 'steps.json')),
);

interface Example {
  readonly payments: string;
  readonly rows: readonly string[];
}

/**
 * The rows of an example as they stand in its files. Of twins only one is kept: two twins in one file are two records,
 * but in two files they are one that came twice (design 4.3), so tearing them apart changes the outcome by intent.
 */
export async function readExample(name: string): Promise<Example> {
  const inbound = path.join(fixtures, name, 'inbound');
  const rows = new Map<string, string>();
  // A sender's announced totals are about whole files.
  for (const file of readdirSync(inbound)
    .filter((entry) => entry.endsWith('.csv'))
    .sort()) {
    const read = await readAll(readFileSync(path.join(inbound, file)));
    for (const row of read.rows) rows.set(fingerprintOf(cellsOf(row)), textOfRow(row));
  }
  return {
    payments: readFileSync(path.join(fixtures, name, 'payments.csv'), 'utf8'),
    rows: [...rows.values()],
  };
}

const fileOfRows = (name: string, rows: readonly string[]): SentFile => ({
  name,
  content: `${headerLine}\n${rows.map((row) => `${row}\n`).join('')}`,
});

function shuffled<T>(chance: Chance, entries: readonly T[]): T[] {
  return entries
    .map((entry) => ({ entry, rank: chance.fraction() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}

/** The rows in any order, in one to five files, of which some repeat rows of the others. */
function anyFiles(chance: Chance, rows: readonly string[]): SentFile[] {
  const parts = Array.from({ length: chance.integer(1, 5) }, (): string[] => []);
  for (const row of shuffled(chance, rows)) {
    chance.pick(parts).push(row);
    if (chance.fraction() < 0.1) {
      const other = chance.pick(parts);
      if (!other.includes(row)) other.push(row);
    }
  }
  return parts
    .map((part, index) => fileOfRows(`part-${index}.csv`, part))
    .filter(({ content }) => content.length > headerLine.length + 1);
}

/** The facts once these files were taken in, one run for each list of them. */
async function outcomeOf(payments: string, nights: readonly (readonly SentFile[])[]) {
  // Each row is split from its neighbours: two rows under one SettlementTxId are no correction here.
  const scene = await createIntakeScene('add');
  try {
    await scene.storePayments(payments);
    for (const files of nights) await scene.night(...files);
    return { facts: withoutRefusals(await factsOf(scene)), report: await finalReport(scene) };
  } finally {
    await scene.end();
  }
}

/**
 * Refused rows are left out: they are reported each time they come, and a part that holds nothing else is refused as a
 * whole, so how a file is split does change what is reported about them.
 */
function withoutRefusals({ records, discrepancies, bookings }: Record<string, string[]>) {
  return { records, discrepancies, bookings };
}

/** Columns of a report that tell where a row stood and when it was first seen. */
const ofPlaceAndTime = new Set(['Source', 'File', 'Line', 'FirstSeenRun']);

/** The discrepancies as a re-run of all days tells them to finance, without place and time. */
async function finalReport(scene: IntakeScene): Promise<string[][]> {
  const { reports } = await scene.rerun('2026-01-01', '2026-12-31');
  if (reports === null) throw new Error('the re-run published nothing');
  const [names = [], ...rows] = parse(readFileSync(reports.discrepancies), { delimiter: ';', bom: true });
  const kept = names.flatMap((name, index) => (ofPlaceAndTime.has(name) ? [] : [index]));
  expect(kept.length).toBe(names.length - ofPlaceAndTime.size);
  return rows.map((cells) => kept.map((index) => cells[index] ?? '')).sort();
}

/**
 * Whether a reversal has several chargebacks of its payment to choose from. Then it takes the best that is known on
 * its night, and as an id once given never changes (design 4.5), one that comes on a later night comes too late.
 */
function reversalsChoose(rows: readonly string[]): boolean {
  const uniqueIds = (type: string) =>
    rows
      .map((row) => row.split(';'))
      .filter(([found]) => found === type)
      .map((cells) => cells[columnIndex('UniqueID')]);
  const chargebacks = uniqueIds('CHARGEBACK');
  return uniqueIds('CHARGEBACK REVERSAL').some(
    (id) => chargebacks.filter((other) => other === id).length > 1,
  );
}

/** Takes the rows of an example in order, then torn apart: in one run, and file by file in separate runs. */
export async function expectSameOutcomes(name: string, times: number): Promise<void> {
  const { payments, rows } = await readExample(name);
  const inOrder = await outcomeOf(payments, [[fileOfRows('all.csv', rows)]]);
  expect(inOrder.facts.records?.length).toBeGreaterThan(0);
  // A separate number for every example, so that each can be replayed alone.
  const chance = chanceFrom(seed + examples.indexOf(name));
  for (let time = 0; time < times; time += 1) {
    expect(await outcomeOf(payments, [anyFiles(chance, rows)]), 'in one run').toEqual(inOrder);
    if (reversalsChoose(rows)) continue;
    const nights = anyFiles(chance, rows).map((file) => [file]);
    expect(await outcomeOf(payments, nights), 'night after night').toEqual(inOrder);
  }
}
