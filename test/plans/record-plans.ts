import postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import type { Sql, Tx } from '../../src/db/client.js';
import { databaseForAllTests, type DatabaseOfTests } from '../support/database.js';

/** A node of a plan as `EXPLAIN (ANALYZE, FORMAT JSON)` gives it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Parent Relationship'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Filter?: string;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement with the plan that really ran. */
export interface ExecutedPlan {
  readonly statement: string;
  readonly root: PlanNode;
}

/** A connection that collects the plan of every statement it executes. */
export interface PlanRecorder {
  readonly sql: Sql;
  readonly plans: ExecutedPlan[];
  end(): Promise<void>;
}

/**
 * Opens a connection on which the server explains every statement as it runs (auto_explain), with the rows that each
 * node really handled.
 *
 * @throws when the server has no auto_explain
 */
export async function recordPlans({ database }: DatabaseOfTests): Promise<PlanRecorder> {
  const plans: ExecutedPlan[] = [];
  const onnotice = ({ message = '' }: postgres.Notice) => {
    const start = message.indexOf('plan:\n');
    if (start < 0) return;
    // The shape is what the server documents for the format JSON.
    const plan = JSON.parse(message.slice(start + 6)) as { 'Query Text': string; Plan: PlanNode };
    plans.push({ statement: plan['Query Text'], root: plan.Plan });
  };
  // Options that were parsed already are taken as they are; the driver's type knows unparsed ones only.
  const sql = postgres({ ...database.sql.options, max: 1, onnotice } as never) as unknown as Sql;
  await sql`load 'auto_explain'`;
  for (const [name, value] of Object.entries({
    log_min_duration: '0',
    log_analyze: 'on',
    log_timing: 'off',
    log_format: 'json',
    // Above what matching asks to be shown.
    log_level: 'warning',
  })) {
    await sql`select set_config(${`auto_explain.${name}`}, ${value}, false)`;
  }
  plans.length = 0;
  return { sql, plans, end: () => sql.end() };
}

/**
 * Gives the tests of a file an empty database and a connection to it that collects plans.
 *
 * @returns the connection, once the tests run
 */
export function recorderOfTests(): () => PlanRecorder {
  const testDatabase = databaseForAllTests();
  let recorder: PlanRecorder;
  beforeAll(async () => {
    recorder = await recordPlans(testDatabase);
  });
  afterAll(() => recorder.end());
  return () => recorder;
}

/** The plans of the statements of some work. */
export async function plansOf<Result>(
  recorder: PlanRecorder,
  tx: Tx,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly plans: readonly ExecutedPlan[] }> {
  recorder.plans.length = 0;
  const result = await work();
  // The server ends a statement, and shows its plan, when the next one begins.
  await tx`select`;
  return { result, plans: [...recorder.plans] };
}

/** A statement that handled more rows than it may. */
export interface StatementBeyond {
  readonly rows: number;
  readonly statement: string;
}

/** The result of some work, and its statements that read, compared or returned more rows than the bound. */
export async function statementsBeyond<Result>(
  recorder: PlanRecorder,
  tx: Tx,
  { mostRows, work }: { readonly mostRows: number; readonly work: () => Promise<Result> },
): Promise<{ readonly result: Result; readonly beyond: readonly StatementBeyond[] }> {
  const { result, plans } = await plansOf(recorder, tx, work);
  if (plans.length === 0) throw new Error('the server showed no plan');
  return { result, beyond: statementsAbove(plans, mostRows) };
}

/** The statements that read, compared or returned more rows than the bound. */
export function statementsAbove(
  plans: readonly ExecutedPlan[],
  mostRows: number,
): readonly StatementBeyond[] {
  return plans
    .map(({ statement, root }) => ({ rows: mostRowsHandled(root), statement }))
    .filter(({ rows }) => rows > mostRows);
}

/** The tables that a plan reads. */
export function tablesRead(node: PlanNode): string[] {
  const own = node['Relation Name'];
  return [...(own === undefined ? [] : [own]), ...(node.Plans ?? []).flatMap(tablesRead)];
}

/** The types of all nodes of a plan, such as `Gather`. */
export function nodeTypes(node: PlanNode): string[] {
  return [node['Node Type'], ...(node.Plans ?? []).flatMap(nodeTypes)];
}

/** The most rows that any node reads of a table, or of a part of it, each time it is asked. */
export function mostRowsAtOnce(node: PlanNode, table: string): number {
  const isOwn = node['Relation Name']?.startsWith(table) === true;
  return Math.max(
    isOwn ? rowsOfLoop(node) : 0,
    ...(node.Plans ?? []).map((each) => mostRowsAtOnce(each, table)),
  );
}

/** How often a plan executes the node that it executes most often. */
export function mostLoops(node: PlanNode): number {
  return Math.max(node['Actual Loops'] ?? 0, ...(node.Plans ?? []).map(mostLoops));
}

/** How many rows of a table, or of a part of it, a plan reads, all loops together. */
export function rowsRead(node: PlanNode, table: string): number {
  const isOwn = node['Relation Name']?.startsWith(table) === true;
  const own = isOwn ? rowsOfLoop(node) * (node['Actual Loops'] ?? 1) : 0;
  return (node.Plans ?? []).reduce((sum, each) => sum + rowsRead(each, table), own);
}

/** How many rows the plans give to their nodes that insert into a table, update it or delete from it. */
export function rowsToWrite(plans: readonly ExecutedPlan[], table: string): number {
  const ofNode = (node: PlanNode): number => {
    const writes = node['Node Type'] === 'ModifyTable' && node['Relation Name'] === table;
    return (node.Plans ?? []).reduce((sum, each) => {
      const isGiven = writes && each['Parent Relationship'] === 'Outer';
      return sum + ofNode(each) + (isGiven ? (each['Actual Rows'] ?? 0) * (each['Actual Loops'] ?? 1) : 0);
    }, 0);
  };
  return plans.reduce((sum, { root }) => sum + ofNode(root), 0);
}

/** How often the nodes of a plan read a table, or a part of it. */
export function timesAsked(node: PlanNode, table: string): number {
  const own = node['Relation Name']?.startsWith(table) === true ? (node['Actual Loops'] ?? 1) : 0;
  return (node.Plans ?? []).reduce((sum, each) => sum + timesAsked(each, table), own);
}

/** The most rows that any node of a plan read, compared or returned, all its loops together. */
export function mostRowsHandled(node: PlanNode): number {
  const loops = node['Actual Loops'] ?? 1;
  return Math.max(
    rowsOfLoop(node) * loops,
    rowsWalkedThrough(node) * loops,
    ...(node.Plans ?? []).map(mostRowsHandled),
  );
}

/** An `intersect` or `except` that is asked again walks through all rows that it has, and returns few of them. */
function rowsWalkedThrough(node: PlanNode): number {
  return node['Node Type'] === 'SetOp' ? Math.max(0, ...(node.Plans ?? []).map(rowsOfLoop)) : 0;
}

/**
 * The most rows that any node compares with every value of a list that the statement reads, all its loops together: the
 * server searches such a list from its beginning, except for an index.
 */
export function mostRowsComparedWithList(node: PlanNode): number {
  const own = / = ANY \(\(?(InitPlan|\$)/.test(node.Filter ?? '')
    ? rowsOfLoop(node) * (node['Actual Loops'] ?? 1)
    : 0;
  return Math.max(own, ...(node.Plans ?? []).map(mostRowsComparedWithList));
}

/**
 * A scan of an index for a bitmap counts the entries of rows that an earlier test rolled back. The node above it counts
 * the rows themselves.
 */
function rowsOfLoop(node: PlanNode): number {
  if (node['Node Type'] === 'Bitmap Index Scan') return 0;
  return (
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0)
  );
}
