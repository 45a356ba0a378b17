import { describe, expect, it } from 'vitest';
import type { Tx } from '../../../src/db/client.js';
import { databaseForAllTests } from '../../support/database.js';
import { matchRange, matchRun, openFindings } from '../findings.js';
import { fingerprintOf, rolledBack, storePayments, storeRecords, type TestRecord } from '../scenario.js';
import { paymentsOf, recordsOf } from '../table.js';

const testDatabase = databaseForAllTests();

/**
 * One payment with a chargeback `c`, its reversal `r`, another reversal `s` and another chargeback `d`, each in its own
 * file.
 */
const records = recordsOf(`
  record | file | kind       | unique | amount | tx
  c      | 1    | CHARGEBACK | p1     | 60.00  | C1
  r      | 2    | REVERSAL   | p1     | 60.00  | R1
  s      | 3    | REVERSAL   | p1     | 60.00  | R2
  d      | 4    | CHARGEBACK | p1     | 40.00  | C2`);

class World {
  corrections: 'ask' | 'replace' | 'add' = 'ask';
  private runs = 0;
  private readonly tx: Tx;
  private readonly records: readonly TestRecord[];

  constructor(tx: Tx, records: readonly TestRecord[]) {
    this.tx = tx;
    this.records = records;
  }

  private nameOf(file: number): string {
    return this.records.find((each) => each.file === file)?.name ?? '';
  }

  /**
   * Each word is a run: the name of the record whose file arrives, `-x` or `+x` for a file that is withdrawn or
   * restored, a dot for nothing new.
   */
  async live(text: string): Promise<void> {
    for (const word of text.split(' ')) await this.liveAtOnce(word);
  }

  /** The words are one run. */
  async liveAtOnce(text: string): Promise<void> {
    this.runs += 1;
    for (const word of text.split(' ')) {
      const file = this.records.find((each) => each.name === word.slice(-1))?.file;
      const arriving = this.records.filter((each) => each.file === file);
      if (word.length === 1) await storeRecords(this.tx, this.runs, arriving);
      else if (file !== undefined) await this.withdraw(word.startsWith('-') ? 'withdraw' : 'restore', file);
    }
    await matchRun(this.tx, this.runs, this.settings);
  }

  /** The next run takes over the file of a record, as it does for a file that a re-run brought. */
  async takeOver(name: string): Promise<void> {
    const file = this.records.find((each) => each.name === name)?.file ?? 0;
    await this.tx`update settlement_files set finished_run_id = ${this.runs + 1} where id = ${file}`;
  }

  private get settings() {
    return { corrections: { test: this.corrections } };
  }

  private async withdraw(kind: string, file: number): Promise<void> {
    await this.tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
      values (${file}, ${kind}, 'r', 'anna', now())`;
  }

  async unlink(name: string): Promise<void> {
    await this.tx`
      insert into decisions (item, file_id, line, kind, payment_key, basis, author, decided_on, decided_at, origin)
      select 'x', r.file_id, r.line, 'unlink', p.key, 'b', 'anna', '2026-11-22', now(), 'command'
      from settlement_records r, payments p where r.fingerprint = ${fingerprintOf(name)} and p.payment_type = 'DB'`;
  }

  async rematchAll(): Promise<void> {
    this.runs += 1;
    await matchRange(this.tx, this.runs, undefined, this.settings);
  }

  /** Which reversal is linked to which chargeback, and the reversals that wait. */
  async state(): Promise<string[]> {
    const links = await this.tx<{ reversal: number; chargeback: number | null }[]>`
      select l.file_id as reversal, c.file_id as chargeback from chargeback_links l
      left join chargeback_links c on c.chargeback_id = l.chargeback_id and c.kind = 'CHARGEBACK' and c.active
      where l.kind = 'CHARGEBACK REVERSAL' and l.active order by 1`;
    const findings = await openFindings(
      this.tx,
      new Map(this.records.map((each) => [fingerprintOf(each.name), each.name])),
    );
    return [
      ...links.map(
        (link) =>
          `${this.nameOf(link.reversal)} reverses ${link.chargeback === null ? 'nothing' : this.nameOf(link.chargeback)}`,
      ),
      ...findings
        .filter(({ code }) => code === 'REVERSAL_WITHOUT_CHARGEBACK')
        .map(({ subject }) => `${subject[0] ?? ''} waits`),
    ];
  }

  /** The state, every booking with what it refers to, and every result. */
  async everything() {
    const bookings = await this.tx<{ booking: string }[]>`
      select p.payment_type || ' ' || p.amount_minor || ' ' || coalesce(r.amount_minor::text, 'payment') as booking
      from payments p left join payments r on r.id = p.referenced_payment_id and r.payment_type = 'CB'
      where p.payment_type in ('CB', 'CR') order by 1`;
    const results = await this.tx`
      select file_id, status, matched_by, payment_key is not null as matched from record_matches order by 1`;
    return {
      state: await this.state(),
      booked: bookings.map(({ booking }) => booking),
      results: [...results],
    };
  }
}

const world = (story: (world: World) => Promise<void>, known: readonly TestRecord[] = records) =>
  rolledBack(testDatabase.database.sql, async (tx) => {
    await storePayments(tx, paymentsOf('payment\np1'));
    await story(new World(tx, known));
  });

describe('a reversal whose file is withdrawn and restored', () => {
  it('has its chargeback, or waits for one as long as another reversal has it', () =>
    world(async (world) => {
      const states: string[] = [];
      for (const run of ['c', 'r', '-r', '+r', '-r', 's', '+r', '-s', '+s', 'd']) {
        await world.live(run);
        states.push(`${run}: ${(await world.state()).join(', ')}`);
      }
      expect(states).toEqual([
        'c: ',
        'r: r reverses c',
        '-r: ',
        '+r: r reverses c',
        '-r: ',
        's: s reverses c',
        '+r: s reverses c, r waits',
        '-s: r reverses c',
        '+s: r reverses c, s waits',
        'd: r reverses c, s reverses d',
      ]);
      const all = await world.everything();
      expect(all.booked).toEqual(['CB 4000 payment', 'CB 6000 payment', 'CR 6000 4000', 'CR 6000 6000']);
      await world.rematchAll();
      expect(await world.everything()).toEqual(all);
    }));

  it('takes another open chargeback at once', () =>
    world(async (world) => {
      await world.live('c r d -r s +r');
      expect(await world.state()).toEqual(['r reverses d', 's reverses c']);
    }));
});

/** A chargeback `c` that is returned in the parts `r` and `s`, and another chargeback `d`. */
const parts = recordsOf(`
  record | file | kind       | unique | amount | tx
  c      | 1    | CHARGEBACK | p1     | 60.00  | C1
  r      | 2    | REVERSAL   | p1     | 20.00  | R1
  s      | 3    | REVERSAL   | p1     | 10.00  | R2
  d      | 4    | CHARGEBACK | p1     | 90.00  | C2`);

describe('a part of a chargeback that was withdrawn', () => {
  it.each([
    ['with another part', 'c r s d -c -r -s +r', 'r reverses nothing, r waits'],
    ['alone', 'c r s d -c -s +s', 'r reverses nothing, s reverses nothing, r waits, s waits'],
    [
      'and comes back first',
      'c r s d -c -r -s +s +r',
      'r reverses nothing, s reverses nothing, r waits, s waits',
    ],
    ['and comes back before it', 'c r s d -c -r -s +s +r +c', 'r reverses c, s reverses c'],
    ['before it, and comes back first', 'c r s d -s -c +s +c', 'r reverses c, s reverses c'],
  ])('keeps its chargeback: %s', (_, story, expected) =>
    world(async (world) => {
      await world.live(story);
      const all = await world.everything();
      expect(all.state.join(', ')).toBe(expected);
      await world.rematchAll();
      expect(await world.everything()).toEqual(all);
    }, parts),
  );
});

/** A chargeback `c`, its part `r`, the correction `x` of that part, and another part `s`. */
const corrected = recordsOf(`
  record | file | kind       | unique | amount | tx
  c      | 1    | CHARGEBACK | p1     | 100.00 | C1
  r      | 2    | REVERSAL   | p1     | 60.00  | R1
  x      | 3    | REVERSAL   | p1     | 30.00  | R1
  s      | 4    | REVERSAL   | p1     | 50.00  | R2`);

/** Once nothing corrects another record any more, `r` and `x` both count, and there is one booking for both of them. */
describe('a part that waits while its correction has its booking', () => {
  it.each([
    ['in one run', 'c r x -r -x s +r', '+x -s'],
    ['when the correction counts again', 'c r x -r -x s +r', '+x', '-s'],
    ['when it counts itself again', 'c r x -r -x s +r +x -s', 'all'],
    ['when enough is left later', 'c r x -r -x s +r +x', 'all', '-s'],
  ])('has it again, and the correction gets another one: %s', (_, story, ...later) =>
    world(async (world) => {
      world.corrections = 'replace';
      await world.live(story);
      world.corrections = 'add';
      for (const acts of later) await (acts === 'all' ? world.rematchAll() : world.liveAtOnce(acts));
      const all = await world.everything();
      expect(all.state).toEqual(['r reverses c', 'x reverses c']);
      expect(all.booked).toEqual(['CB 10000 payment', 'CR 0 10000', 'CR 3000 10000', 'CR 6000 10000']);
      await world.rematchAll();
      expect(await world.everything()).toEqual(all);
    }, corrected),
  );

  it('also where a run takes over the file that a re-run brought', () =>
    world(async (world) => {
      world.corrections = 'replace';
      await world.live('c r x -r -x s +r +x');
      world.corrections = 'add';
      await world.rematchAll();
      await world.takeOver('r');
      await world.live('-s');
      expect(await world.state()).toEqual(['r reverses c', 'x reverses c']);
    }, corrected));
});

it('the correction of a part keeps its booking, also when its file is withdrawn and restored', () =>
  rolledBack(testDatabase.database.sql, async (tx) => {
    const records = recordsOf(`
      record | file | kind       | unique | amount | tx
      c      | 1    | CHARGEBACK | p1     | 60.00  | C1
      r      | 2    | REVERSAL   | p1     | 20.00  | R1
      s      | 3    | REVERSAL   | p1     | 10.00  | R2
      x      | 4    | REVERSAL   | p1     | 25.00  | R1`);
    await storePayments(tx, paymentsOf('payment\np1'));
    const replace = { corrections: { test: 'replace' } } as const;
    const booked: string[] = [];
    const run = async (number: number) => {
      await matchRun(tx, number, replace);
      const rows = await tx<{ line: string }[]>`
        select l.file_id || ' ' || p.amount_minor || ' ' || dense_rank() over (order by p.key) as line
        from payments p left join chargeback_links l on l.booking_id = p.id and l.active
        where p.payment_type = 'CR' order by p.key`;
      booked.push(rows.map(({ line }) => line).join(', '));
    };
    for (const record of records) {
      await storeRecords(tx, record.file, [record]);
      await run(record.file);
    }
    for (const [index, kind] of ['withdraw', 'restore'].entries()) {
      await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
        values (4, ${kind}, 'r', 'anna', now())`;
      await run(5 + index);
    }
    expect(booked).toEqual([
      '',
      '2 2000 1',
      '2 2000 1, 3 1000 2',
      '4 2500 1, 3 1000 2',
      '2 2000 1, 3 1000 2',
      '4 2500 1, 3 1000 2',
    ]);
  }));

describe('a chargeback that a person takes from its payment', () => {
  it.each(['unlink -c +c', '-c unlink +c', '-c+unlink +c'])('has no id after %s', (acts) =>
    world(async (world) => {
      await world.live('c r');
      for (const act of acts.split(' ')) {
        if (act.includes('unlink')) await world.unlink('c');
        await world.live(act.replace('+unlink', '').replace('unlink', '.'));
      }
      expect(await world.state()).toEqual(['r waits']);
      expect((await world.everything()).booked).toEqual(['CB 0 payment', 'CR 0 0']);
    }),
  );

  it('leaves no key on its reversal while that is withdrawn, so that a re-run changes nothing', () =>
    world(async (world) => {
      await world.live('c r -r');
      await world.unlink('c');
      await world.live('.');
      const stored = await world.everything();
      await world.rematchAll();
      expect(await world.everything()).toEqual(stored);
    }));
});

it('what is withdrawn is in no sum of the chargebacks of a payment', () =>
  rolledBack(testDatabase.database.sql, async (tx) => {
    const records = recordsOf(`
      record | file | kind       | unique | amount | tx
      c      | 1    | CHARGEBACK | p1     | 60.00  | C1
      d      | 2    | CHARGEBACK | p1     | 60.00  | C2
      r      | 3    | REVERSAL   | p1     | 60.00  | R1`);
    await storePayments(tx, paymentsOf('payment\np1'));
    const sums: (string | null | undefined)[] = [];
    const run = async (number: number) => {
      await matchRun(tx, number);
      const findings = await openFindings(tx, new Map());
      sums.push(findings.find(({ code }) => code === 'CHARGEBACK_EXCEEDS_PAYMENT')?.actual);
    };
    for (const record of records) {
      await storeRecords(tx, record.file, [record]);
      await run(record.file);
    }
    const steps = [
      [3, 'withdraw'],
      [2, 'withdraw'],
      [2, 'restore'],
      [3, 'restore'],
    ] as const;
    for (const [index, [file, kind]] of steps.entries()) {
      await tx`insert into file_withdrawals (file_id, kind, reason, author, decided_at)
        values (${file}, ${kind}, 'r', 'anna', now())`;
      await run(4 + index);
    }
    expect(sums).toEqual([undefined, '120.00', undefined, '120.00', undefined, '120.00', undefined]);
  }));
