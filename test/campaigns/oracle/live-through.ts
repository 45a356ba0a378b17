import path from 'node:path';
import { Books, isPending, type Days, type ExpectedRun, type Item } from './books.js';
import type { ChargebackIds } from './chargeback-ids.js';
import { compareRun, type RunReport } from './compare-run.js';
import { installRecon, type Installation, type Said } from './play-world.js';
import { keyOf, readReport, type Row } from './read-report.js';
import { placeOf } from './records.js';
import { writeCells } from '../../../src/settlement-file/write-row.js';
import { dayAfter, type Step, type World } from './world.js';

/** Where recon and the oracle differ first. */
export interface Disagreement {
  readonly step: number;
  readonly differences: readonly string[];
}

/** How often each kind of step was played. */
export type Played = Record<string, number>;

/** Plays a world with recon and with the oracle; undefined if they agree to the end. */
export async function liveThrough(
  world: World,
  inProcesses: boolean,
  played: Played = {},
): Promise<Disagreement | undefined> {
  const recon = await installRecon(world.settings, inProcesses);
  try {
    const life = new Life(recon, world);
    for (const [index, step] of world.steps.entries()) {
      const differences = await life.live(step);
      if (differences === undefined) continue;
      if (differences.length > 0) return { step: index, differences };
      played[step.kind] = (played[step.kind] ?? 0) + 1;
    }
    return undefined;
  } finally {
    await recon.end();
  }
}

type RunStep = Extract<Step, { readonly kind: 'run' | 'rerun' }>;
type WorkStep = Exclude<Extract<Step, { readonly choice: number }>, { readonly kind: 'correct' }>;

/** Whether a decision of this kind is possible; each record is linked or unlinked once, while its file counts. */
function isFor(kind: Exclude<WorkStep['kind'], 'approve'>, { finding, candidates, decision }: Item): boolean {
  if (kind === 'accept' || kind === 'wait') return true;
  const isUntouched = decision === undefined && finding.record?.broughtBy[0]?.isWithdrawn === false;
  if (kind === 'supersede' || kind === 'keep-both')
    return isUntouched && finding.code === 'RECORD_REDELIVERED';
  if (kind === 'link') return isUntouched && ['NOT_MATCHED', 'MULTIPLE_MATCHES'].includes(finding.code);
  // Not a finding about a payment as a whole, which several records have brought about.
  const isOfRecord = finding.key === `${finding.code} ${finding.record?.place ?? ''}`;
  return isUntouched && isOfRecord && finding.payment !== undefined && candidates === finding.payment.id;
}

class Life {
  readonly #recon: Installation;
  readonly #books: Books;
  readonly #ids: ChargebackIds = new Map();
  #reports = '';
  #asOf = '';

  constructor(recon: Installation, { settings }: World) {
    this.#recon = recon;
    this.#books = new Books(settings);
  }

  /** What differs after a step; undefined if there was nothing that it could be about. */
  async live(step: Step): Promise<readonly string[] | undefined> {
    switch (step.kind) {
      case 'import':
        this.#books.importPayments(step.payments);
        return expectCode(await this.#recon.importPayments(step.payments), 0);
      case 'deliver':
        this.#books.deliver(step.file);
        this.#recon.deliver(step.file);
        return [];
      case 'run':
        return this.#run(step);
      case 'rerun':
        return this.#run(step, step);
      case 'withdraw':
      case 'restore':
        return this.#withdrawOrRestore(step.kind, step.file);
      case 'accept-all':
        return this.#acceptAll(step.code);
      case 'correct':
        return this.#correct(step.choice);
      default:
        return this.#work(step);
    }
  }

  async #acceptAll(code: string): Promise<readonly string[] | undefined> {
    const items = this.#books.openItems().filter(({ finding }) => finding.code === code);
    if (items.length === 0) return undefined;
    for (const item of items) this.#books.decide(item, 'accept');
    const wanted = ['--code', code, '--status', 'OPEN', '--as-of', this.#asOf];
    const said = await this.#recon.command(['decide', ...wanted, '--accept', '--reason', 'agreed', '--json']);
    return expectCode(said, 0);
  }

  /** One line of corrections.csv is given back, twice: the second time it changes nothing. */
  async #correct(choice: number): Promise<readonly string[] | undefined> {
    const rows = this.#books.rejectedRows();
    const row = rows[choice % Math.max(1, rows.length)];
    if (row === undefined) return undefined;
    const valid = Object.fromEntries(row.problems.map((column) => [column, validCells[column] ?? '']));
    const sheet = readReport(path.join(this.#reports, 'corrections.csv')).find(
      (line) => `${line['OriginalFile'] ?? ''}:${line['OriginalLine'] ?? ''}` === placeOf(row),
    );
    if (sheet === undefined) return [`${placeOf(row)} is not in corrections.csv`];
    this.#books.correct(row, { ...row.cells, ...valid });
    const file = this.#recon.write('corrected.csv', linesOf({ ...sheet, ...valid }));
    const give = () => this.#recon.command(['decide', '--file', file, '--as-of', this.#asOf, '--json']);
    return [...expectCode(await give(), 0), ...expectCode(await give(), 0)];
  }

  /** What a person decides about an item. */
  async #work(step: WorkStep): Promise<readonly string[] | undefined> {
    const item = this.#choose(step);
    if (item === undefined) return undefined;
    switch (step.kind) {
      case 'accept':
        this.#books.decide(item, 'accept');
        return this.#decide(item, ['--accept', '--reason', 'agreed']);
      case 'wait': {
        const until = dayAfter(this.#asOf, step.days);
        this.#books.decide(item, 'wait', until);
        return this.#decide(item, ['--wait', until]);
      }
      case 'link': {
        const payment = this.#books.link(item, step.payment);
        return payment === undefined ? undefined : this.#decide(item, ['--link', payment]);
      }
      case 'unlink':
        this.#books.unlink(item);
        return this.#decide(item, ['--unlink']);
      case 'supersede':
      case 'keep-both':
        this.#books.decideDelivery(item, step.kind);
        return this.#decide(item, [`--${step.kind}`]);
      case 'approve':
        // The first person is RECON_USER.
        if (step.by === 'oracle') return this.#decide(item, ['--approve'], 2);
        this.#books.approve(item);
        return this.#decide(item, ['--approve', '--by', step.by]);
    }
  }

  #choose({ kind, choice }: WorkStep): Item | undefined {
    const items = this.#books
      .openItems()
      .filter((item) => (kind === 'approve' ? isPending(item, this.#asOf) : isFor(kind, item)));
    return items[choice % Math.max(1, items.length)];
  }

  async #run({ kind, asOf, failOn }: RunStep, days?: Days): Promise<readonly string[]> {
    const isRerun = days !== undefined;
    const expected: ExpectedRun = this.#books.run(asOf, days);
    const said = await this.#recon.command([
      kind,
      ...(days === undefined ? [] : ['--from', days.from, '--to', days.to]),
      ...(failOn === undefined ? [] : ['--fail-on', failOn]),
      ...['--as-of', asOf, '--json'],
    ]);
    if (![0, 1, 7].includes(said.code)) return expectCode(said, 0);
    // The shape is what design 5 says `run --json` prints; the values are compared.
    const report = JSON.parse(said.stdout) as RunReport;
    this.#reports = report.reports.directory;
    this.#asOf = asOf;
    return [
      ...expectCode(said, report.exitCode),
      ...compareRun(report, expected, { wasRerun: isRerun, ids: this.#ids, failOn }),
    ];
  }

  async #withdrawOrRestore(kind: 'withdraw' | 'restore', name: string): Promise<readonly string[]> {
    const file = this.#books.file(name);
    const isPossible = file !== undefined && file.isWithdrawn === (kind === 'restore');
    if (isPossible) file.isWithdrawn = kind === 'withdraw';
    return expectCode(
      await this.#recon.command(['files', kind, name, '--reason', 'wrong file', '--json']),
      isPossible ? 0 : 2,
    );
  }

  async #decide(item: Item, decision: readonly string[], code = 0): Promise<readonly string[]> {
    const rows = readReport(path.join(this.#reports, 'open-items.csv'));
    const id = rows.find((row) => keyOf(row) === item.finding.key)?.['DiscrepancyId'];
    if (id === undefined) return [`${item.finding.key} has no id`];
    return expectCode(
      await this.#recon.command(['decide', id, ...decision, '--as-of', this.#asOf, '--json']),
      code,
    );
  }
}

/** What is written into an invalid cell. */
const validCells: Readonly<Record<string, string>> = { Amount: '100.00', SettlementDate: '2026-11-10' };

/** A sheet with one row. */
function linesOf(row: Row): string {
  return [Object.keys(row), Object.values(row)].map((cells) => `${writeCells(cells)}\n`).join('');
}

function expectCode({ code, stdout, stderr }: Said, wanted: number): readonly string[] {
  return code === wanted ? [] : [`the exit code is ${code} and not ${wanted}: ${stdout} ${stderr}`];
}
