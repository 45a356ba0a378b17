import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeFault, judgePlan } from './judge-plans.js';

/** Server settings that log `EXPLAIN (ANALYZE, BUFFERS)` of every statement as it was executed. */
export const planLogging: Readonly<Record<string, string>> = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_parameter_max_length': '0',
};

/**
 * Extracts the plans from the server's log and saves them, the slowest first: of each statement the slowest execution,
 * with how often it was executed and how long in all. Before its plan stands what is wrong with it. They are the plans
 * of the statements that were really executed, so no statement has to be written a second time.
 *
 * @returns the number of statements, and of those with a fault
 */
export function savePlans(
  serverLog: string,
  since: number,
  file: string,
): { readonly statements: number; readonly withFaults: number } {
  const entries = readFileSync(serverLog)
    .subarray(since)
    .toString('utf8')
    .split(/^(?=\d{4}-\d\d-\d\d )/m)
    .filter((entry) => entry.includes('  plan:\n'));
  const statements = new Map<string, { slowest: string; slowestMs: number; count: number; ms: number }>();
  for (const entry of entries) {
    const ms = Number(/duration: ([\d.]+) ms/.exec(entry)?.[1] ?? 0);
    const text = statementOf(entry);
    const known = statements.get(text) ?? { slowest: entry, slowestMs: ms, count: 0, ms: 0 };
    known.count += 1;
    known.ms += ms;
    if (ms > known.slowestMs) Object.assign(known, { slowest: entry, slowestMs: ms });
    statements.set(text, known);
  }
  const byCost = [...statements.values()].sort((a, b) => b.ms - a.ms);
  let withFaults = 0;
  const texts = byCost.map(({ slowest, count, ms }) => {
    const faults = judgePlan(slowest).map(describeFault);
    if (faults.length > 0) withFaults += 1;
    const head = `-- ${count} times, ${ms.toFixed(0)} ms in all`;
    return [head, ...faults.map((fault) => `-- ${fault}`), slowest].join('\n');
  });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, texts.join('\n'));
  return { statements: byCost.length, withFaults };
}

/** The statement of a logged plan; what differs between executions (numbers of files and lines) is left out. */
function statementOf(entry: string): string {
  const text = /Query Text: ([\s\S]*?)\n\t?[A-Z][\w ]+(?: on [^\n]*)?\s+\(cost=/.exec(entry)?.[1] ?? entry;
  return text.replace(/\s+/g, ' ').replace(/\d+/g, 'N');
}
