import { describe, expect, test } from 'vitest';
import type { Alert, AlertKind } from '../../src/alerts/alert.js';
import { composeMail } from '../../src/alerts/compose.js';
import { decideAlerts, restated, type HeldCondition } from '../../src/alerts/decide-alerts.js';
import {
  observeExpected,
  observeFailure,
  observeItems,
  observeOverdue,
  observeRun,
  observeSince,
  type Observation,
} from '../../src/alerts/observations.js';
import type { ItemFigures } from '../../src/items/item-figures.js';
import type { CompletedRun, ExpectedDelivery, OutcomeError, RunOutcome } from '../../src/outcome.js';
import { noResults } from '../../src/run/no-results.js';
import { runId } from '../../src/values/ids.js';

/** Every transition of the alerts: what held, what was observed, and which alerts follow. */

const nowMs = Date.UTC(2026, 10, 20, 6);
const minute = 60_000;
const unreachable = { code: 'SOURCE_UNREACHABLE', message: 'No answer from sftp.example.' } as const;
const broken = { code: 'DATABASE_FAILED', message: 'The server ended the connection.' } as const;

const heading = { ...noResults, runId: runId(7), kind: 'run', asOf: '2026-11-20' } as const;
const totals = { byCurrency: [], rejectedRows: { count: 0, unreadable: 0 } };

function outcome(changes: Partial<CompletedRun> = {}): RunOutcome {
  return { ...heading, status: 'completed', exitCode: 0, error: null, totals, ...changes };
}

function failure(error: OutcomeError): RunOutcome {
  return { ...heading, status: 'failed', exitCode: 5, error };
}

const source = (name: string, isDown: boolean) => ({
  name,
  status: isDown ? ('failed' as const) : ('read' as const),
  error: isDown ? unreachable : null,
});
const delivery = (
  date: string,
  status: ExpectedDelivery['status'],
  files: string[] = [],
  filePattern?: string,
): ExpectedDelivery => ({
  ...{ source: 'bank', date, status, files, problems: [] },
  ...(filePattern === undefined ? {} : { filePattern }),
  due: `${date}T07:00:00.000Z`,
});
const item = (changes: Partial<ItemFigures>): ItemFigures => ({
  ...{ code: 'NOT_MATCHED', currency: 'EUR', open: 1, waiting: 0, new: 0 },
  ...{ missing: 0n, surplus: 0n, newMissing: 0n, newSurplus: 0n },
  ...changes,
});
const thresholds = {
  newItems: 10,
  newAtRisk: new Map([['EUR', 100_00n]]),
  openAtRisk: new Map([
    ['EUR', 1000_00n],
    ['USD', 0n],
  ]),
};

const ran = observeRun(outcome());
const failed = observeRun(failure(broken));
const grace = 60 * minute;

/** `+key` for an alert, `-key` for a recovery. */
const changes: [name: string, holding: string[], observed: Observation[], expected: string[]][] = [
  ['a run that went well', [], ran, []],
  ['a run that failed', [], failed, ['+run-failed']],
  ['the next one that failed', ['run-failed'], failed, []],
  ['a run after one that failed', ['run-failed'], ran, ['-run-failed']],
  ['a run that somebody interrupted', [], observeRun(failure({ code: 'RUN_INTERRUPTED', message: '' })), []],
  [
    'an interrupted run after one that failed',
    ['run-failed'],
    observeRun(failure({ code: 'RUN_INTERRUPTED', message: '' })),
    [],
  ],
  ['a run that could not begin', [], [observeFailure(broken, null)], ['+run-failed']],
  [
    'a source that cannot be read',
    [],
    observeRun(outcome({ sources: [source('a', true), source('b', false)] })),
    ['+source-down:a'],
  ],
  ['the same source again', ['source-down:a'], observeRun(outcome({ sources: [source('a', true)] })), []],
  [
    'another source as well',
    ['source-down:a'],
    observeRun(outcome({ sources: [source('a', true), source('b', true)] })),
    ['+source-down:b'],
  ],
  [
    'a source that is back',
    ['source-down:a'],
    observeRun(outcome({ sources: [source('a', false)] })),
    ['-source-down:a'],
  ],
  [
    'a run of another source only',
    ['source-down:a'],
    observeRun(outcome({ sources: [source('b', false)] })),
    [],
  ],
  ['a run that failed says nothing about sources', ['source-down:a'], failed, ['+run-failed']],
  [
    'a missing delivery',
    [],
    [observeExpected([delivery('2026-11-18', 'missing'), delivery('2026-11-19', 'outstanding')])],
    ['+file-missing:bank:2026-11-18'],
  ],
  [
    'the same delivery again, and the next',
    ['file-missing:bank:2026-11-18'],
    [observeExpected([delivery('2026-11-18', 'missing'), delivery('2026-11-19', 'missing')])],
    ['+file-missing:bank:2026-11-19'],
  ],
  [
    'a delivery that came late',
    ['file-missing:bank:2026-11-18'],
    [observeExpected([delivery('2026-11-18', 'late', ['a.csv'])])],
    ['-file-missing:bank:2026-11-18'],
  ],
  [
    'two deliveries of one day',
    [],
    [
      observeExpected([
        delivery('2026-11-18', 'missing', [], 'a-*.csv'),
        delivery('2026-11-18', 'missing', [], 'b-*.csv'),
      ]),
    ],
    ['+file-missing:bank:2026-11-18:a-*.csv', '+file-missing:bank:2026-11-18:b-*.csv'],
  ],
  [
    'one of two deliveries of one day that came',
    ['file-missing:bank:2026-11-18:a-*.csv'],
    [
      observeExpected([
        delivery('2026-11-18', 'late', ['a-1.csv'], 'a-*.csv'),
        delivery('2026-11-18', 'missing', [], 'b-*.csv'),
      ]),
    ],
    ['+file-missing:bank:2026-11-18:b-*.csv', '-file-missing:bank:2026-11-18:a-*.csv'],
  ],
  [
    'a delivery that is no longer expected',
    ['file-missing:bank:2026-10-01'],
    [observeExpected([])],
    ['-file-missing:bank:2026-10-01'],
  ],
  ['a planned run within its grace', [], [observeOverdue(nowMs - grace, nowMs, grace)], []],
  ['a planned run after its grace', [], [observeOverdue(nowMs - grace - 1, nowMs, grace)], ['+run-missing']],
  [
    'a planned run that is still missing',
    ['run-missing'],
    [observeOverdue(nowMs - 2 * grace, nowMs, grace)],
    [],
  ],
  ['nothing is planned any more', ['run-missing'], [observeOverdue(null, nowMs, grace)], ['-run-missing']],
  [
    'a run that failed stays due, which is one alert',
    ['run-failed'],
    [observeOverdue(nowMs - 2 * grace, nowMs, grace)],
    [],
  ],
  ['a run after a missing one', ['run-missing'], ran, ['-run-missing']],
  ['no run since yesterday', [], [observeSince(nowMs - 27 * grace, nowMs, 26 * grace)], ['+run-missing']],
  ['never a run', [], [observeSince(null, nowMs, 26 * grace)], ['+run-missing']],
  [
    'a run that a wrong clock completed in the future',
    [],
    [observeSince(nowMs + grace + 1, nowMs, 26 * grace)],
    ['+run-missing'],
  ],
  ['a run by a clock that is a little ahead', [], [observeSince(nowMs + grace, nowMs, 26 * grace)], []],
  [
    'a run just in time',
    ['run-missing'],
    [observeSince(nowMs - 26 * grace, nowMs, 26 * grace)],
    ['-run-missing'],
  ],
  [
    'as many new items as the threshold',
    [],
    [observeItems([item({ new: 4 }), item({ currency: 'USD', new: 6 })], thresholds, 7)],
    [],
  ],
  [
    'one more',
    [],
    [observeItems([item({ new: 5 }), item({ currency: 'USD', new: 6 })], thresholds, 7)],
    ['+new-items'],
  ],
  [
    'money in both directions',
    [],
    [observeItems([item({ newMissing: 60_00n, newSurplus: 40_01n })], thresholds, 7)],
    ['+new-at-risk:EUR'],
  ],
  [
    'money in a currency without a threshold',
    [],
    [observeItems([item({ currency: 'GBP', newMissing: 9_999_00n, missing: 9_999_00n })], thresholds, 7)],
    [],
  ],
  [
    'a threshold of 0 in another currency',
    [],
    [observeItems([item({ currency: 'USD', missing: 1n })], thresholds, 7)],
    ['+open-at-risk:USD'],
  ],
  ['still above', ['open-at-risk:EUR'], [observeItems([item({ surplus: 1000_01n })], thresholds, 7)], []],
  [
    'below again',
    ['open-at-risk:EUR', 'new-items'],
    [observeItems([item({ surplus: 1000_00n })], thresholds, 7)],
    ['-new-items', '-open-at-risk:EUR'],
  ],
  [
    'a threshold that was taken out of the configuration',
    ['new-items'],
    [observeItems([], { newItems: null, newAtRisk: new Map(), openAtRisk: new Map() }, 7)],
    ['-new-items'],
  ],
  [
    'everything at once',
    ['run-failed', 'source-down:a'],
    [
      ...observeRun(outcome({ sources: [source('a', false), source('b', true)] })),
      observeExpected([delivery('2026-11-18', 'missing')]),
    ],
    ['+file-missing:bank:2026-11-18', '+source-down:b', '-run-failed', '-source-down:a'],
  ],
  ['nobody looked', ['run-failed', 'source-down:a', 'new-items'], [], []],
];

const occasion = { nowMs, runId: 7, page: null };
function holdingOf(keys: readonly string[]): ReadonlyMap<string, HeldCondition> {
  return new Map(
    keys.map((key) => {
      const [kind = ''] = key.split(':');
      const since = '2026-11-19T05:30:00.000Z';
      // The keys of the table begin with a kind.
      return [key, { key, kind: kind as AlertKind, message: `It is ${key}.`, since }];
    }),
  );
}
const short = (alerts: readonly Alert[]) =>
  alerts.map(({ state, key }) => `${state === 'raised' ? '+' : '-'}${key}`).sort();

describe('alerts are changes', () => {
  test.each(changes)('%s', (_name, holding, observed, expected) => {
    const alerts = decideAlerts(holdingOf(holding), observed, occasion);
    expect(short(alerts)).toEqual(expected);
    for (const { message, since, at, state } of alerts) {
      expect(message).toMatch(/^[A-Z].*[.)]$/);
      expect(at).toBe('2026-11-20T06:00:00.000Z');
      expect(since).toBe(state === 'raised' ? at : '2026-11-19T05:30:00.000Z');
    }
  });

  test.each(changes)('the same once more is no change: %s', (_name, holding, observed) => {
    const after = new Map(holdingOf(holding));
    for (const { key, kind, message, since, state } of decideAlerts(after, observed, occasion)) {
      if (state === 'raised') after.set(key, { key, kind, message, since });
      else after.delete(key);
    }
    expect(decideAlerts(after, observed, occasion)).toEqual([]);
  });
});

describe('what goes on', () => {
  const found = (open: bigint) => observeItems([item({ missing: open })], thresholds, 7);
  const held = decideAlerts(new Map(), [found(1100_00n)], occasion);
  const holding = new Map(held.map((alert) => [alert.key, alert]));

  test('has the sum that was found last, without an alert', () => {
    expect(decideAlerts(holding, [found(1200_00n)], occasion)).toEqual([]);
    expect(restated(holding, [found(1200_00n)])).toEqual([
      {
        key: 'open-at-risk:EUR',
        kind: 'open-at-risk',
        message: 'Items that are open or waiting put 1200.00 EUR at risk; the threshold is 1000.00 EUR.',
      },
    ]);
  });

  test('is as it was if the same is found again, or if nobody looked', () => {
    expect(restated(holding, [found(1100_00n)])).toEqual([]);
    expect(restated(holding, [])).toEqual([]);
  });

  test('what begins or ends is not restated', () => {
    expect(restated(new Map(), [found(1200_00n)])).toEqual([]);
    expect(restated(holding, [found(0n)])).toEqual([]);
  });

  test('nothing is restated while another alert says the same', () => {
    const overdue = (plannedAtMs: number) => observeOverdue(plannedAtMs, nowMs, 0);
    const both = holdingOf(['run-failed', 'run-missing']);
    expect(restated(both, [overdue(nowMs - 1)])).toEqual([]);
    expect(restated(holdingOf(['run-missing']), [overdue(nowMs - 1)])).toHaveLength(1);
  });
});

describe('the words', () => {
  test('say what happened, what it is about, and what to do', () => {
    const alerts = decideAlerts(
      holdingOf(['file-missing:bank:2026-11-17']),
      [
        ...observeRun(outcome({ sources: [source('acquirer', true)] })),
        observeExpected([delivery('2026-11-17', 'late', ['b.csv']), delivery('2026-11-18', 'missing')]),
        observeItems([item({ new: 12, newMissing: 150_00n, newSurplus: 5n })], thresholds, 7),
      ],
      occasion,
    );
    expect(alerts.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The source acquirer could not be read\. No answer from sftp\.example\. \(SOURCE_UNREACHABLE\) .+\.$/,
      ),
      'The delivery of bank for 2026-11-18 was not received; it was due at 2026-11-18 07:00 UTC.',
      'The delivery of bank for 2026-11-17 was received: b.csv.',
      'Run 7 found 12 new items; the threshold is 10.',
      'The new items of run 7 put 150.05 EUR at risk; the threshold is 100.00 EUR.',
    ]);
  });

  test('say which files of a delivery came, and which ones are meant', () => {
    const part = observeExpected([
      delivery('2026-11-18', 'missing', ['a-1.csv'], 'a-*.csv'),
      delivery('2026-11-18', 'missing', [], 'b-*.csv'),
    ]);
    expect(decideAlerts(new Map(), [part], occasion).map(({ message }) => message)).toEqual([
      'The delivery of bank for 2026-11-18 (a-*.csv) is not complete: only a-1.csv was received; it was due at 2026-11-18 07:00 UTC.',
      'The delivery of bank for 2026-11-18 (b-*.csv) was not received; it was due at 2026-11-18 07:00 UTC.',
    ]);
  });

  test('of a mail name each change, on one line whatever a file is called', () => {
    const received = delivery('2026-11-17', 'late', ['a\r\nBcc: other@example.com\r\n.csv']);
    const [alert] = decideAlerts(
      holdingOf(['file-missing:bank:2026-11-17']),
      [observeExpected([received])],
      occasion,
    );
    if (alert === undefined) throw new Error('no alert');
    const { subject, text } = composeMail([alert]);
    expect(subject).not.toMatch(/[\r\n]/);
    expect(subject).toContain('recon: RECOVERED: The delivery of bank for 2026-11-17 was received');
    expect(text).not.toContain('\nBcc');
    expect(text).toContain('It began at 2026-11-19T05:30:00.000Z.');
    expect(composeMail([alert, { ...alert, state: 'raised' }]).subject).toBe(
      'recon: new problems: 1, recovered: 1',
    );
  });

  test('contain no card number', () => {
    const error = { code: 'DATABASE_FAILED', message: 'A row with 4200000000000000 was refused.' } as const;
    const [alert] = decideAlerts(new Map(), [observeFailure(error, null)], occasion);
    expect(alert?.message).not.toContain('4200000000000000');
    expect(JSON.stringify(alert)).not.toContain('4200000000000000');
  });
});
