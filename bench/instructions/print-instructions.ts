import type { InstructionsMeasurement } from './per-row.js';

export function printInstructions(measured: readonly InstructionsMeasurement[]): string {
  const [first] = measured;
  if (first === undefined) return '';
  const thousands = (instructions: number) => Math.round(instructions / 1000);
  const lines = measured.map(({ count, perRow }) => {
    const parts = Object.values(perRow);
    const all = parts.reduce((sum, each) => sum + each, 0);
    return [count, ...[...parts, all].map(thousands)].join(' | ');
  });
  const [fewer, more] = first.rows;
  return `
thousand instructions per row in user mode, counted by ${first.tool}: ${more} rows less ${fewer} rows
${[first.of, ...Object.keys(first.perRow), 'together'].join(' | ')}
${lines.join('\n')}
`;
}
