/** The headings of `recon --help`, with the commands below each; the others are for maintenance. */
const headings: Readonly<Record<string, readonly string[]>> = {
  'Start:': ['demo', 'init', 'doctor'],
  'Every day:': ['run', 'schedule', 'rerun', 'report', 'runs', 'sources', 'files'],
  'Work on what is open:': ['items', 'review', 'decide', 'explain', 'discrepancies', 'diff'],
  'Payments:': ['payments', 'chargebacks', 'serve', 'jobs', 'tokens', 'webhooks'],
};

/** Also of commander's own command `help`. */
export const maintenance = 'Maintain:';

/** The heading below which the help lists a command. */
export function helpHeading(command: string): string {
  return Object.keys(headings).find((heading) => headings[heading]?.includes(command)) ?? maintenance;
}
