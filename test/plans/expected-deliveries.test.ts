import { describe, expect, it } from 'vitest';
import { expectedDeliveries } from '../../src/expected/expected-deliveries.js';
import type { Expectation, SourceSettings } from '../../src/remote/source-settings.js';
import { sourceDefaults } from '../../src/remote/source-settings.js';
import { rolledBack } from '../matching/scenario.js';
import { knowledge, setStatistics, type Knowledge } from './crowded-quarter.js';
import { recorderOfTests, statementsBeyond } from './record-plans.js';

/**
 * Each run, each minute of `recon schedule` and each reading of the metrics judges what is expected. That may not cost
 * the number of recent files times the number of all files that a source ever had. Rows are counted and not seconds.
 */
const files = 3_000;
const perDay = 20;
const asOf = '2026-11-20';

/** Each of the recent files compared with each file of the source handles more than 3,000,000 rows. */
const mostRows = 10 * files;

const expectation: Expectation = {
  days: 'daily',
  deadline: '07:00',
  timezone: 'UTC',
  lagDays: 1,
  files: perDay,
  holidays: new Set(),
  sequence: null,
  filePattern: null,
  rows: { min: 0, max: 10 },
};
const source: SourceSettings = {
  ...sourceDefaults,
  name: 'bank',
  protocol: 'local',
  folder: '/in',
  expected: [expectation],
};
const view = { asOf, timezone: 'UTC', nowMs: Date.parse('2026-11-20T12:00:00Z'), range: null } as const;

const recorder = recorderOfTests();

describe.each<Knowledge>([...knowledge])('when the statistics are %s', (kind) => {
  it('the files of a source are read once', async () => {
    await rolledBack(recorder().sql, async (tx) => {
      // Fetched at 08:00, after the deadline; half of them were at the source at 06:00. Those of one more day have the
      // time of a server that does not know it.
      await tx`
        insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
          finished_run_id, rows_total, last_settlement_date)
        select n, encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 'bank', 'file-' || n, 1, 'loaded',
          '2026-11-20T08:00:00Z'::timestamptz - n / ${perDay} * interval '1 day', 1, 1, 1,
          '2026-11-19'::date - n / ${perDay} from generate_series(0, ${files - 1}::int) n`;
      await tx`
        insert into remote_files (source, path, size_bytes, modified_at_ms, sha256)
        select source, name, 1, case id / ${perDay} when 3 then 0 else
          extract(epoch from received_at - interval '2 hours') * 1000 end, sha256
        from settlement_files where id / ${perDay} % 2 = 0 or id / ${perDay} = 3`;
      await setStatistics(tx, kind);
      const { result, beyond } = await statementsBeyond(recorder(), tx, {
        mostRows,
        work: () => expectedDeliveries(tx, [source], view),
      });
      expect(beyond).toEqual([]);
      expect(
        result
          .map(({ date, status }) => `${date} ${status}`)
          .sort()
          .reverse()
          .slice(0, 6),
      ).toEqual([
        '2026-11-19 arrived',
        '2026-11-18 late',
        '2026-11-17 arrived',
        '2026-11-16 arrived',
        '2026-11-15 arrived',
        '2026-11-14 late',
      ]);
    });
  });
});
