/** A node of a plan as auto_explain writes it, with what was expected and what was found per loop. */
export interface PlanNode {
  readonly text: string;
  readonly expected: number;
  readonly found: number;
  readonly loops: number;
  /** Rows that it read and dropped, over all loops. */
  readonly removed: number;
  /** Whether it reads only rows that meet a condition. */
  readonly isConditional: boolean;
}

/** What is wrong with a plan: an estimate that is far off, or a table that is read for a few of its rows. */
export interface PlanFault {
  readonly kind: 'estimate' | 'whole table';
  readonly node: PlanNode;
}

/** Below this many rows a wrong estimate or a whole table costs nothing. */
const fewRows = 5000;
const worstFactor = 10;

const nodeLine =
  /^\s*(?:->\s+)?(\S.*?)\s+\(cost=\S+ rows=(\d+) width=\d+\) \(actual time=\S+ rows=([\d.]+) loops=(\d+)\)/;

/** The nodes of one logged plan, from the top. */
export function planNodes(entry: string): PlanNode[] {
  const nodes: PlanNode[] = [];
  for (const line of entry.split('\n')) {
    const found = nodeLine.exec(line);
    const removed = /Rows Removed by Filter: (\d+)/.exec(line);
    const last = nodes.at(-1);
    if (found !== null) {
      const [, text = '', expected, rows, loops] = found;
      nodes.push({
        text,
        expected: Number(expected),
        found: Number(rows),
        loops: Number(loops),
        removed: 0,
        isConditional: false,
      });
    } else if (removed !== null && last !== undefined) {
      nodes[nodes.length - 1] = { ...last, removed: Number(removed[1]) * last.loops };
    } else if (last !== undefined && /^\s*(?:Filter|Index Cond|Recheck Cond|TID Cond): /.test(line)) {
      nodes[nodes.length - 1] = { ...last, isConditional: true };
    }
  }
  return nodes;
}

/** The nodes whose estimate is off by more than ten, and those that read a whole table for less than a tenth of it. */
export function judgePlan(entry: string): PlanFault[] {
  return planNodes(entry).flatMap((node): PlanFault[] => {
    const rows = node.found * node.loops;
    const [less, more] = [Math.max(1, node.expected), Math.max(1, node.found)].sort((a, b) => a - b);
    const isFarOff = (more ?? 1) / (less ?? 1) > worstFactor && (more ?? 1) * node.loops >= fewRows;
    // A scan of a whole table reads fewer rows than it has only if nobody asks for the others, as for the first row.
    const isStopped =
      (/Seq Scan on/.test(node.text) || (/Scan/.test(node.text) && !node.isConditional)) &&
      rows + node.removed < node.expected * node.loops;
    const readsAll = /Seq Scan on/.test(node.text) && node.removed >= fewRows && rows * 10 < node.removed;
    return [
      ...(isFarOff && !isStopped ? [{ kind: 'estimate' as const, node }] : []),
      ...(readsAll ? [{ kind: 'whole table' as const, node }] : []),
    ];
  });
}

/** One line for a fault. */
export function describeFault({ kind, node }: PlanFault): string {
  const times = node.loops === 1 ? '' : ` in each of ${node.loops} loops`;
  return kind === 'estimate'
    ? `estimate: ${node.text}: ${node.expected} expected, ${node.found} found${times}`
    : `whole table: ${node.text}: ${node.found * node.loops} rows kept, ${node.removed} read and dropped`;
}
