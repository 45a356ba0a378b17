import { vi } from 'vitest';
import type { Disagreement } from '../campaigns/oracle/live-through.js';
import { installRecon, type Installation, type Said } from '../campaigns/oracle/play-world.js';
import { readTable } from '../campaigns/oracle/read-report.js';
import { firstDay } from '../campaigns/oracle/world.js';
import { chanceFrom, type Chance } from '../support/campaign.js';
import type { Choices } from './choices.js';
import { commandOf } from './command-of-step.js';
import type { ComparedStep, ComparedWorld } from './compared-world.js';
import { fileOf, giveFile } from './given-files.js';
import { daysAhead, differencesOf, glanceAt, lookAt, Naming } from './look-at-installation.js';
import type { ThreeServers } from './three-servers.js';

/** How often each kind of step was done, or refused. */
export type Counts = Record<string, number>;

/** What differs first between one server and several in the same world; undefined if nothing does. */
export async function playOnBoth(
  three: ThreeServers,
  world: ComparedWorld,
  counts: Counts = {},
): Promise<Disagreement | undefined> {
  const [databases, more] = [await three.create(), await three.create()];
  const shards = [databases.a, databases.b, more.b].slice(0, 3 - (world.seed % 2));
  const one = await installRecon(world.settings, false);
  const drop = () => Promise.resolve();
  const several = await installRecon(world.settings, false, { url: databases.home, drop });
  try {
    const pair = new Pair(one, several, shards);
    for (const [index, step] of world.steps.entries()) {
      const differences = await pair.live(step, chanceFrom(world.seed + index), counts);
      if (differences.length > 0) return { step: index, differences };
    }
    return undefined;
  } finally {
    await one.end();
    await several.end();
  }
}

/** What an operator does in an installation; its naming knows the ids that are different in each. */
type Work = (recon: Installation, naming: Naming) => Promise<Said | undefined>;

/** An installation on one server and one on several. Both do the same; the first one says what there is to do. */
class Pair {
  readonly #one: Installation;
  readonly #several: Installation;
  readonly #shards: readonly string[];
  readonly #namings: ReadonlyMap<Installation, Naming>;
  readonly #payments: string[] = [];
  readonly #records: string[] = [];
  #asOf = firstDay;

  constructor(one: Installation, several: Installation, shards: readonly string[]) {
    this.#one = one;
    this.#several = several;
    this.#shards = shards;
    const naming = new Naming(one.folder);
    this.#namings = new Map([
      [one, naming],
      [several, new Naming(several.folder, naming)],
    ]);
  }

  /** What differs after a step. */
  async live(step: ComparedStep, chance: Chance, counts: Counts): Promise<readonly string[]> {
    const count = (outcome: string) => {
      const name = `${step.kind === 'dry-run' ? `${step.of} --dry-run` : step.kind}${outcome}`;
      counts[name] = (counts[name] ?? 0) + 1;
    };
    const work = await this.#workOf(step);
    if (work === undefined) {
      if (step.kind !== 'deliver') count(' about nothing');
      return [];
    }
    const isRun = ['run', 'rerun', 'rerun-fetch', 'divide', 'purge'].includes(step.kind);
    const records = [0, 1].flatMap(() => (this.#records.length === 0 ? [] : [chance.pick(this.#records)]));
    const looks = [];
    for (const [recon, naming] of this.#namings) {
      const said = await work(recon, naming);
      if (said !== undefined && ![0, 1, 2, 7].includes(said.code))
        return [`exit code ${said.code}: ${said.stdout} ${said.stderr}`];
      if (step.kind === 'book' || step.kind === 'reverse') naming.addBooked(said);
      const look = await glanceAt(recon, said, this.#asOf);
      looks.push(
        naming.withoutOwn(isRun ? { ...look, ...(await lookAt(recon, this.#asOf, records)) } : look),
      );
      if (recon === this.#one) count(said?.code === 2 ? ' refused' : '');
    }
    return differencesOf(looks[0] ?? {}, looks[1] ?? {});
  }

  async #workOf(step: ComparedStep): Promise<Work | undefined> {
    switch (step.kind) {
      case 'import':
        this.#payments.push(...step.payments.map((payment) => payment['PaymentId'] ?? ''));
        return (recon) => recon.importPayments(step.payments);
      case 'deliver': {
        this.#records.push(...step.file.rows.map((_, index) => `${step.file.name}:${index + 2}`));
        for (const recon of [this.#one, this.#several]) recon.deliver(step.file);
        return undefined;
      }
      case 'divide':
        return (recon) => (recon === this.#several ? this.#divide() : Promise.resolve(undefined));
      case 'correct':
      case 'sheet':
      case 'change': {
        const file = await fileOf(step, this.#choices());
        return file && ((recon, naming) => giveFile(recon, { ...file, text: naming.withOwn(file.text) }));
      }
      case 'purge':
        return purge;
      default: {
        if (step.kind === 'run' || step.kind === 'rerun') this.#asOf = step.asOf;
        const args = await commandOf(step, this.#choices());
        return args && ((recon, naming) => recon.command(args.map((arg) => naming.withOwn(arg))));
      }
    }
  }

  async #divide(): Promise<undefined> {
    const added = this.#shards.map((url, index) => ['add', '--name', `s${index}`, '--url', url]);
    for (const args of [...added, ['divide']]) {
      const { code, stdout } = await this.#several.command(['shards', ...args, '--json']);
      if (code !== 0) throw new Error(`shards ${args.join(' ')}: ${stdout}`);
    }
  }

  #choices(): Choices {
    const said = async (args: readonly string[]) => {
      const { code, stdout } = await this.#one.command(args);
      if (code !== 0) throw new Error(`${args.join(' ')}: ${stdout}`);
      return stdout;
    };
    return {
      asOf: this.#asOf,
      payments: this.#payments,
      records: this.#records,
      list: async <T>(...args: string[]) => JSON.parse(await said([...args, '--json'])) as T[],
      table: async (...args) => readTable(await said(args)),
    };
  }
}

/** Much later, everything that is not open is old. Without `recordsMonths`: records cannot be removed from shards. */
async function purge(recon: Installation): Promise<Said> {
  const days = ['archiveDays', 'reportsDays', 'rejectedRowsDays'];
  const retention = `retention: { ${days.map((name) => `${name}: ${daysAhead - 100}`).join(', ')} }\n`;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + daysAhead * 86_400_000 });
  try {
    const said = await recon.command(['purge', '--config', recon.write('purge.yaml', retention), '--json']);
    // Two workbooks with different moments in them are not equally long.
    return { ...said, stdout: said.stdout.replaceAll(/"bytes":\d+/g, '"bytes":0') };
  } finally {
    vi.useRealTimers();
  }
}
