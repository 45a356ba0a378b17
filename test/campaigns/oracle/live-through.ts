import path from 'node:path';
import { Books, type ExpectedRun, type Item } from './books.js';
import type { ChargebackIds } from './chargeback-ids.js';
import { compareRun, type RunReport } from './compare-run.js';
import { installRecon, type Installation, type Said } from './play-world.js';
import { keyOf, readReport } from './read-report.js';
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
  const recon = await installRecon(inProcesses);
  try {
    const life = new Life(recon);
    for (const [index, step] of world.steps.entries()) {
      const differences = await life.live(step);
      if (differences.length > 0) return { step: index, differences };
      played[step.kind] = (played[step.kind] ?? 0) + 1;
    }
    return undefined;
  } finally {
    await recon.end();
  }
}

type WorkStep = Extract<Step, { readonly choice: number }>;

/** Whether a decision of this kind is possible; each record is linked or unlinked once, while its file counts. */
function isFor(kind: WorkStep['kind'], { finding, candidates, decision }: Item): boolean {
  if (kind === 'accept' || kind === 'wait') return true;
  const isUntouched = decision === undefined && finding.record?.broughtBy[0]?.isWithdrawn === false;
  if (kind === 'link') return isUntouched && ['NOT_MATCHED', 'MULTIPLE_MATCHES'].includes(finding.code);
  // Not a finding about a payment as a whole, which several records have brought about.
  const isOfRecord = finding.key === `${finding.code} ${finding.record?.place ?? ''}`;
  return isUntouched && isOfRecord && finding.payment !== undefined && candidates === finding.payment.id;
}

class Life {
  readonly #recon: Installation;
  readonly #books = new Books();
  readonly #ids: ChargebackIds = new Map();
  #reports = '';
  #asOf = '';

  constructor(recon: Installation) {
    this.#recon = recon;
  }

  /** What differs after a step. */
  async live(step: Step): Promise<readonly string[]> {
    switch (step.kind) {
      case 'import':
        this.#books.importPayments(step.payments);
        return expectCode(await this.#recon.importPayments(step.payments), 0);
      case 'deliver':
        this.#books.deliver(step.file);
        this.#recon.deliver(step.file);
        return [];
      case 'run':
        return this.#run(['run', '--as-of', step.asOf], step.asOf);
      case 'rerun':
        return this.#run(['rerun', '--from', step.from, '--to', step.to, '--as-of', step.asOf], step.asOf);
      case 'withdraw':
      case 'restore':
        return this.#withdrawOrRestore(step.kind, step.file);
      default:
        return this.#work(step);
    }
  }

  /** What a person decides about an item. */
  async #work(step: WorkStep): Promise<readonly string[]> {
    const item = this.#choose(step);
    if (item === undefined) return [];
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
        return payment === undefined ? [] : this.#decide(item, ['--link', payment]);
      }
      case 'unlink':
        this.#books.unlink(item);
        return this.#decide(item, ['--unlink']);
    }
  }

  #choose({ kind, choice }: WorkStep): Item | undefined {
    const items = this.#books.openItems().filter((item) => isFor(kind, item));
    return items[choice % Math.max(1, items.length)];
  }

  async #run(args: readonly string[], asOf: string): Promise<readonly string[]> {
    const isRerun = args[0] === 'rerun';
    const expected: ExpectedRun = this.#books.run(asOf, !isRerun);
    const said = await this.#recon.command([...args, '--json']);
    if (said.code !== 0) return expectCode(said, 0);
    // The shape is what design 5 says `run --json` prints; the values are compared.
    const report = JSON.parse(said.stdout) as RunReport;
    this.#reports = report.reports.directory;
    this.#asOf = asOf;
    return compareRun(report, expected, { wasRerun: isRerun, ids: this.#ids });
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

  async #decide(item: Item, decision: readonly string[]): Promise<readonly string[]> {
    const rows = readReport(path.join(this.#reports, 'open-items.csv'));
    const id = rows.find((row) => keyOf(row) === item.finding.key)?.['DiscrepancyId'];
    if (id === undefined) return [`${item.finding.key} has no id`];
    return expectCode(
      await this.#recon.command(['decide', id, ...decision, '--as-of', this.#asOf, '--json']),
      0,
    );
  }
}

function expectCode({ code, stdout, stderr }: Said, wanted: number): readonly string[] {
  return code === wanted ? [] : [`the exit code is ${code} and not ${wanted}: ${stdout} ${stderr}`];
}
