import { errorCatalogue, exitCodes, type ErrorCode, type FailureClass } from '../src/errors.js';
import { errorGuide, exitCodeGuide } from '../src/error-guide.js';

const ends: Readonly<Record<FailureClass, string>> = {
  content: 'this file, which is rejected; the run continues',
  file: 'this file; the run continues',
  connection: 'the file that is being fetched, or the source if no file is being fetched; the run continues',
  source: 'this source; the run continues',
  run: 'the command',
};

// The keys of the record are the names; Object.entries loses their type.
const exitNames = Object.keys(exitCodes) as (keyof typeof exitCodes)[];

export const runbookTables: Readonly<Record<string, string>> = {
  'exit codes': [
    '| code | what happened | what to do |',
    '| --- | --- | --- |',
    ...exitNames.map((name) => {
      const { means, whatToDo } = exitCodeGuide[name];
      return `| ${exitCodes[name]} | ${means} | ${whatToDo} |`;
    }),
  ].join('\n'),
  'error codes': exitNames
    .flatMap((name) => {
      const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
        (code) => errorCatalogue[code].exitCode === exitCodes[name],
      );
      if (codes.length === 0) return [];
      return [[`### Exit code ${exitCodes[name]}`, ...codes.map((code) => section(code))].join('\n\n')];
    })
    .join('\n\n'),
};

function section(code: ErrorCode): string {
  const { happened, kept, nextRun } = errorGuide[code];
  return [
    `#### \`${code}\``,
    '',
    happened,
    '',
    `- What it ends: ${ends[errorCatalogue[code].of]}.`,
    `- What was kept: ${kept}`,
    `- What to do: ${errorCatalogue[code].advice}`,
    `- Fixed by the next run: ${nextRun}`,
  ].join('\n');
}
