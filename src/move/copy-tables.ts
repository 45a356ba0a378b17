import type { Sql, Tx } from '../db/client.js';
import { copyIn, copyOut } from '../db/copy.js';
import { ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { Progress } from '../progress.js';
import { inDatabase } from './failed-side.js';
import { factsOf, isTableOfRecon, sameFacts, type MovedTable } from './table-facts.js';

/** What became of one table. */
export interface MovedRows {
  readonly table: string;
  readonly rows: number;
  /** `there`: an earlier, interrupted move copied it. */
  readonly state: 'copied' | 'there';
}

/**
 * Copies the tables whose rows are not the same yet, and compares each with the old database.
 *
 * @throws ReconError MOVE_NOT_VERIFIED, database errors
 */
export async function copyTables(
  source: Tx,
  target: Sql,
  tables: readonly MovedTable[],
  progress: Progress,
): Promise<MovedRows[]> {
  const facts = new Map<string, Awaited<ReturnType<typeof factsOf>>>();
  const toCopy = new Set<string>();
  for (const table of tables) {
    const wanted = await inDatabase('old', () => factsOf(source, table));
    facts.set(table.name, wanted);
    // Rows that refer to rows which are copied again are removed before these, and copied again too.
    const isStale = table.needs.some((needed) => toCopy.has(needed));
    const isSame = async () => sameFacts(wanted, await inDatabase('new', () => factsOf(target, table)));
    if (isStale || !(await isSame())) toCopy.add(table.name);
  }
  for (const table of tables.toReversed()) if (toCopy.has(table.name)) await clear(target, table);
  const results: MovedRows[] = [];
  for (const table of tables) {
    const wanted = facts.get(table.name);
    if (wanted === undefined) throw new Error(`no facts of ${table.name}`);
    const isToCopy = toCopy.has(table.name);
    if (isToCopy) await copyTable(source, target, table, progress);
    if (isToCopy && !sameFacts(wanted, await inDatabase('new', () => factsOf(target, table)))) {
      throw new ReconError(
        'MOVE_NOT_VERIFIED',
        `After it was copied, the rows of the table ${table.name} differ from those in the old database (${wanted.rows} there). The old database was not changed and is still in use.`,
      );
    }
    results.push({ table: table.name, rows: Number(wanted.rows), state: isToCopy ? 'copied' : 'there' });
  }
  return results;
}

/** Copying neither changes nor books rows, so the triggers of the table are disabled in the same transaction. */
async function withoutTriggers(
  target: Sql,
  { name }: MovedTable,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  await inDatabase('new', () =>
    target.begin(async (tx) => {
      await tx.unsafe(`alter table ${name} disable trigger user`);
      await work(tx);
      await tx.unsafe(`alter table ${name} enable trigger user`);
    }),
  );
}

const clear = (target: Sql, table: MovedTable) =>
  withoutTriggers(target, table, async (tx) => {
    await tx.unsafe(`delete from ${table.name}`);
  });

async function copyTable(source: Tx, target: Sql, table: MovedTable, progress: Progress): Promise<void> {
  const task = progress.begin(`copying ${table.name}`, null, 'bytes');
  const columns = table.columns.join(', ');
  try {
    await withoutTriggers(target, table, async (tx) => {
      const copied = `copy (select ${columns} from only ${table.name}) to stdout`;
      const rows = await inDatabase('old', () => copyOut(source, copied));
      await copyIn(
        tx,
        `copy ${table.name} (${columns}) from stdin`,
        counted(rows, (bytes) => task.advance(bytes)),
      );
      failPoint('move.table');
    });
  } finally {
    task.end();
  }
}

async function* counted(
  rows: AsyncIterable<Buffer>,
  advance: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const blocks = rows[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step: IteratorResult<Buffer, unknown> = await inDatabase('old', () => blocks.next());
      if (step.done === true) break;
      advance(step.value.length);
      yield step.value;
    }
  } finally {
    await blocks.return?.();
  }
}

/** The next numbers of payments, decisions and so on. */
export async function copySequences(source: Tx, target: Sql): Promise<void> {
  const sequences = await source<{ name: string }[]>`
    select format('%I.%I', sn.nspname, s.relname) as name
    from pg_class s join pg_namespace sn on sn.oid = s.relnamespace
    join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid
      and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')
    join pg_class c on c.oid = d.refobjid join pg_namespace n on n.oid = c.relnamespace
    where s.relkind = 'S' and ${isTableOfRecon(source)} order by 1`;
  for (const { name } of sequences) {
    const [at] = await source.unsafe<{ last: string; called: boolean }[]>(
      `select last_value::text as last, is_called as called from ${name}`,
    );
    if (at === undefined) throw new Error(`no value of ${name}`);
    const { last, called } = at;
    await inDatabase('new', () => target`select setval(${name}::regclass, ${last}::bigint, ${called})`);
  }
}
