import { expect, test } from 'vitest';
import { commandToWriteAgain, rangeFolderName, reportFolderName } from '../../src/run/report-folder-name.js';
import { runId } from '../../src/values/ids.js';

const november = rangeFolderName('2026-11-01', '2026-11-30');

test.each([
  [reportFolderName(runId(17)), '2026-12-01', 'recon report --run 17'],
  [reportFolderName(runId(12_345_678)), null, 'recon report --run 12345678'],
  [november, '2026-12-01', 'recon report --from 2026-11-01 --to 2026-11-30 --as-of 2026-12-01'],
  [november, null, 'recon report --from 2026-11-01 --to 2026-11-30 --as-of DATE'],
  ['copy of run-000017', null, undefined],
  ['run-17', null, undefined],
])('the report in %s as of %s is written again with %s', (folder, asOf, command) => {
  expect(commandToWriteAgain(folder, asOf)).toBe(command);
});
