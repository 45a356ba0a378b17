import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { AfterRun, Step } from '../scripts/fixtures/story.js';
import type { ListedItem } from '../src/items/listed-item.js';
import type { ListedDiscrepancy } from '../src/listings/list-discrepancies.js';
import type { RunOutcome } from '../src/outcome.js';
import { createInstallation, filesBelow, paymentId, type Installation } from './cli/installation.js';

/**
 * The folders of `fixtures/` with steps: runs, withdrawn files and decisions, one after the other, through the command
 * line. After each run exactly the items that the story names are open. At the end two re-runs change nothing.
 */
const fixtures = path.resolve(import.meta.dirname, '../fixtures');
const stories = readdirSync(fixtures).filter((name) => existsSync(path.join(fixtures, name, 'steps.json')));

/** Everything that is open, by what a story calls it. */
type OpenItems = ReadonlyMap<string, ListedItem & Omit<ListedDiscrepancy, 'discrepancyId'>>;

class StoryTeller {
  private readonly world: Installation;
  private readonly folder: string;
  private readonly letters = new Map<string, string>();
  private readonly inbox: boolean;
  private asOf = '2026-11-20';

  constructor(world: Installation, folder: string) {
    this.world = world;
    this.folder = folder;
    const config = path.join(folder, 'recon.config.yaml');
    const text = existsSync(config) ? readFileSync(config, 'utf8') : '';
    this.inbox = text.includes('sources:');
    if (text !== '') world.write('recon.config.yaml', `logLevel: silent\n${text}`);
  }

  async take(step: Step): Promise<void> {
    if ('decide' in step) return this.decide(step.decide, step.item);
    if ('withdraw' in step) return this.expectDone('files', 'withdraw', step.withdraw, '--reason', 'wrong');
    if ('restore' in step) return this.expectDone('files', 'restore', step.restore, '--reason', 'right');
    this.asOf = step.asOf ?? this.asOf;
    const command =
      'run' in step
        ? ['run', ...this.deliver(step.run)]
        : ['rerun', '--from', step.rerun.from, '--to', step.rerun.to];
    const { document } = await this.world.json<RunOutcome>(...command, '--as-of', this.asOf);
    expect({ notices: null, ...document }).toMatchObject({ exitCode: 0, ...step.then.outcome });
    await this.expectState(step.then, document);
  }

  /**
   * Two re-runs of all days: neither opens or closes anything, and both write the same bytes. A re-run reports a
   * missing settlement by the day on which it was due, whatever its age (design 4.7).
   */
  async runAgain(): Promise<void> {
    const subjects = async () =>
      [...(await this.openItems()).keys()].filter((subject) => !subject.startsWith('MISSING_SETTLEMENT'));
    const before = await subjects();
    const again = ['rerun', '--from', '2026-10-01', '--to', '2026-12-31', '--as-of', this.asOf];
    const tables: Record<string, string>[] = [];
    for (let time = 0; time < 2; time += 1) {
      const { document } = await this.world.json<RunOutcome>(...again);
      expect(document.status).toBe('completed');
      expect(await subjects()).toEqual(before);
      const reports = Object.entries(filesBelow(document.reports?.directory ?? ''));
      tables.push(Object.fromEntries(reports.filter(([name]) => name.endsWith('.csv'))));
    }
    expect(tables[1]).toEqual(tables[0]);
  }

  private deliver(names: readonly string[]): string[] {
    return names.flatMap((name) => {
      const text = readFileSync(path.join(this.folder, 'inbound', name), 'utf8');
      const file = this.world.write(this.inbox ? `inbox/${name}` : name, text);
      return this.inbox ? [] : ['--file', file];
    });
  }

  private async expectDone(...command: string[]): Promise<void> {
    const { code, stderr } = await this.world.recon(...command);
    expect(code, stderr).toBe(0);
  }

  private async decide(kind: string, item: string): Promise<void> {
    const id = (await this.openItems()).get(item)?.discrepancyId ?? item;
    await this.expectDone('decide', id, `--${kind}`, '--by', 'anna', '--as-of', this.asOf);
  }

  private async openItems(): Promise<OpenItems> {
    const { document: items } = await this.world.json<ListedItem[]>('items', '--as-of', this.asOf);
    const { document: listed } = await this.world.json<ListedDiscrepancy[]>('discrepancies');
    const byId = new Map<string, ListedDiscrepancy>(listed.map((each) => [each.discrepancyId, each]));
    const entries = items.map((item) => {
      const discrepancy = byId.get(item.discrepancyId);
      if (discrepancy === undefined) throw new Error(`${item.code} is an item and not a discrepancy`);
      return [subjectOf(item), { ...discrepancy, ...item }] as const;
    });
    return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private async expectState(then: AfterRun, { reports }: RunOutcome): Promise<void> {
    const open = await this.openItems();
    const named = Object.entries(then.open).sort(([a], [b]) => (a < b ? -1 : 1));
    expect([...open.keys()]).toEqual(named.map(([subject]) => subject));
    const byId = new Map([...open].map(([subject, { discrepancyId }]) => [discrepancyId, subject]));
    const seen = [...open].map(([subject, item]) => [
      subject,
      {
        ...item,
        suggestedLink: byId.get(item.suggestedLink ?? '') ?? '-',
        hasPattern: item.pattern !== null,
      },
    ]);
    expect(Object.fromEntries(seen)).toMatchObject(Object.fromEntries(named));
    for (const [name, rows] of Object.entries(then.reports ?? {})) {
      const found = this.readTable(path.join(reports?.directory ?? '', name));
      expect(found).toHaveLength(rows.length);
      expect(found).toMatchObject(rows);
    }
  }

  private readTable(file: string): Record<string, string>[] {
    const rows = parse<Record<string, string>>(readFileSync(file), {
      delimiter: ';',
      columns: true,
      bom: true,
    });
    return rows.map((row) => ({ ...row, ChargebackId: this.letterOf(row['ChargebackId'] ?? '') }));
  }

  /** A, B, … in the order in which the chargeback ids of a story appear. */
  private letterOf(id: string): string {
    const letter = this.letters.get(id) ?? String.fromCharCode('A'.charCodeAt(0) + this.letters.size);
    this.letters.set(id, letter);
    return letter;
  }
}

function subjectOf({ code, file, line, paymentId: id }: ListedItem): string {
  return file === null ? `${code} payment ${numberOfPayment(id ?? '')}` : `${code} ${file}:${line ?? 0}`;
}

const numberOfPayment = (id: string) => Number(id.slice(paymentId(0).indexOf('a1') + 2));

describe.each(stories)('%s', (story) => {
  test('after each step what is open is what the story says', async () => {
    const world = await createInstallation();
    const folder = path.join(fixtures, story);
    const teller = new StoryTeller(world, folder);
    await world.recon('payments', 'import', path.join(folder, 'payments.csv'));
    // Written by scripts/fixtures/write-fixtures.ts from values of this type.
    const steps = JSON.parse(readFileSync(path.join(folder, 'steps.json'), 'utf8')) as Step[];
    for (const step of steps) await teller.take(step);
    await teller.runAgain();
  });
});
