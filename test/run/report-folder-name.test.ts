import { expect, test } from 'vitest';
import { commandToWriteAgain, rangeFolderName, reportFolderName } from '../../src/run/report-folder-name.js';
import { runId } from '../../src/values/ids.js';

test.each([
  [reportFolderName(runId(17)), 'recon report --run 17'],
  [reportFolderName(runId(12_345_678)), 'recon report --run 12345678'],
  [rangeFolderName('2024-02-29', '2026-11-30'), 'recon report --from 2024-02-29 --to 2026-11-30'],
  ['copy of run-000017', undefined],
  ['run-17', undefined],
])('the report in %s is written again with %s', (folder, command) => {
  expect(commandToWriteAgain(folder)).toBe(command);
});
