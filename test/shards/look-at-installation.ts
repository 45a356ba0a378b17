import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import yauzl from 'yauzl';
import type { Installation, Said } from '../campaigns/oracle/play-world.js';

/** Everything that an installation says and has written, by what it is. */
export type Look = Readonly<Record<string, string>>;

/**
 * What the text of one installation has that no other has: its folder, the present moment, ids of bookings, and the
 * numbers and hashes of its audit log, in which a division has events too.
 */
export class Naming {
  readonly #folder: string;
  readonly #model: Naming | undefined;
  readonly #booked: string[] = [];

  /** @param model that of the installation which says what there is to do */
  constructor(folder: string, model?: Naming) {
    this.#folder = folder;
    this.#model = model;
  }

  /** A text of the model with the ids that this installation has instead. */
  withOwn(text: string): string {
    const model = this.#model === undefined ? [] : this.#model.#booked;
    return text.replaceAll(/[0-9a-f]{32}/g, (id) => this.#booked[model.indexOf(id)] ?? id);
  }

  /** @param said the answer of `recon chargebacks book` or `reverse` */
  addBooked(said: Said | undefined): void {
    if (said?.code === 0) this.#booked.push((JSON.parse(said.stdout) as { readonly id: string }).id);
  }

  withoutOwn(look: Look): Look {
    return Object.fromEntries(Object.entries(look).map(([what, text]) => [what, this.#textWithoutOwn(text)]));
  }

  /** A basis is a hash, and of an item that names a booking also of the id of the booking. */
  #basesAsNumbers(text: string): string {
    if (this.#booked.length === 0) return text;
    const bases: string[] = [];
    return text.replaceAll(/\bb[0-9a-f]{16}(?=n\d)/g, (basis) => {
      if (!bases.includes(basis)) bases.push(basis);
      return `basis ${bases.indexOf(basis)} `;
    });
  }

  #textWithoutOwn(text: string): string {
    return this.#basesAsNumbers(linesOf(text))
      .replaceAll(this.#folder, '')
      .replace(/(?<=The audit log is intact: ).*/, '')
      .replaceAll(/"hash":"[0-9a-f]{64}",\n"number":"\d+"/g, '')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+0000)/g, (moment) =>
        isNow(moment) ? 'now' : moment,
      )
      .replaceAll(/[0-9a-f]{32}/g, (id) =>
        this.#booked.includes(id) ? `booked ${this.#booked.indexOf(id)}` : id,
      );
  }
}

/** How many days a world goes ahead of the clock, at most. */
export const daysAhead = 500;

/** All moments of payments and records are full hours, or much earlier. */
function isNow(moment: string): boolean {
  const ago = Date.now() - Date.parse(moment.replace(' ', 'T').replace('+0000', 'Z'));
  return [0, daysAhead].some((days) => Math.abs(ago + days * 86_400_000) < 1_800_000);
}

/** What a command said, and what is open then. */
export async function glanceAt(recon: Installation, said: Said | undefined, asOf: string): Promise<Look> {
  return {
    'the command': said === undefined ? '' : `${said.code}\n${said.stdout}`,
    ...(await saidAbout(recon, [['items', '--as-of', asOf]])),
  };
}

/** Every list, the explanations of these records, and every file of the reports, except their hashes. */
export async function lookAt(recon: Installation, asOf: string, records: readonly string[]): Promise<Look> {
  const lists = [
    ['discrepancies', '--all'],
    ['chargebacks', 'list'],
    ['payments', 'changes'],
    ['runs'],
    ['diff', 'run:1', 'run:2'],
    ['diff', ...records.map((record) => record.replace(/:\d+$/, ''))],
    ...records.map((record) => ['explain', record, '--as-of', asOf]),
  ];
  return {
    ...(await saidAbout(recon, lists)),
    'payments export': (await recon.command(['payments', 'export'])).stdout,
    ...(await reportsBelow(path.join(recon.folder, 'data/reports'))),
  };
}

async function saidAbout(recon: Installation, lists: readonly string[][]): Promise<Look> {
  const look: Record<string, string> = {};
  for (const list of lists) {
    const { code, stdout } = await recon.command([...list, '--json']);
    look[list.join(' ')] = `${code}\n${stdout}`;
  }
  return look;
}

/** One line for each value of a JSON document. */
function linesOf(text: string): string {
  return text.replaceAll(/([{[,])(?=["{[])/g, '$1\n');
}

async function reportsBelow(folder: string): Promise<Look> {
  if (!existsSync(folder)) return {};
  const reports: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || entry.name === 'manifest.json') continue;
    const bytes = readFileSync(file);
    reports[path.relative(folder, file)] = file.endsWith('.xlsx') ? await partsOf(bytes) : bytes.toString();
  }
  return reports;
}

/** The parts of a workbook as one text. */
async function partsOf(workbook: Buffer): Promise<string> {
  const archive = await yauzl.fromBufferPromise(workbook, { lazyEntries: true });
  let parts = '';
  for await (const entry of archive.eachEntry()) {
    parts += `\n${entry.fileName}\n`;
    for await (const piece of await archive.openReadStreamPromise(entry)) parts += String(piece);
  }
  return parts.replaceAll('><', '>\n<');
}

/** How many lines are shown of each text that differs. */
const shown = 4;

/** What differs, with the lines that only one of the two has. */
export function differencesOf(one: Look, several: Look): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(several)])].flatMap((what) => {
    const [here, there] = [(one[what] ?? '').split('\n'), (several[what] ?? '').split('\n')];
    if (one[what] === several[what]) return [];
    const only = (lines: string[], others: string[], name: string) =>
      lines
        .filter((line) => !others.includes(line))
        .slice(0, shown)
        .map((line) => `  ${name}: ${line.slice(0, 1500)}`);
    return [
      `${what} differs, perhaps only in its order:`,
      ...only(here, there, 'one server'),
      ...only(there, here, 'shards'),
    ];
  });
}
