// node .ci/summary.mjs FOLDER [FAILED_STEP...]
// Prints the end of the gate: what failed, with its messages, and `N passed, N failed` as the last line. FOLDER holds
// the JSON report and the log of each suite.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [folder, ...failedSteps] = process.argv.slice(2);
const counts = { passed: 0, failed: 0, skipped: 0 };
/** The steps whose failure is counted already, test by test. */
const counted = new Set();

for (const suite of ['core', 'slow', 'older-server']) {
  const report = read(`${suite}.json`);
  if (report !== undefined) countTests(suite, JSON.parse(report));
  if (failedSteps.includes(`${suite} tests`)) printErrorsOutsideTests(read(`${suite}.log`) ?? '');
}
for (const step of failedSteps) {
  console.log(`failed: ${step}`);
  if (!counted.has(step)) counts.failed += 1;
}
if (counts.skipped > 0) console.log(`${counts.skipped} skipped: the reasons stand at the end of each suite`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;

function read(name) {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function countTests(suite, report) {
  counts.passed += report.numPassedTests;
  counts.failed += report.numFailedTests;
  counts.skipped += report.numPendingTests + report.numTodoTests;
  if (report.numFailedTests > 0) counted.add(`${suite} tests`);
  for (const file of report.testResults) {
    const failedTests = file.assertionResults.filter(({ status }) => status === 'failed');
    for (const test of failedTests)
      printFailure(`${file.name} > ${test.fullName}`, test.failureMessages.join('\n'));
    // A hook or an import can fail although each test passed.
    if (file.status === 'failed' && failedTests.length === 0) printFailure(file.name, file.message);
  }
}

function printFailure(name, message) {
  console.log(`failed: ${path.relative(process.cwd(), name)}`);
  console.log(indented(message, 25));
}

/** An error that no test caught makes vitest fail, but is not in its JSON report. */
function printErrorsOutsideTests(log) {
  // eslint-disable-next-line no-control-regex -- the escape character begins each colour code
  const lines = log.replaceAll(/\u001b\[[0-9;]*m/g, '').split('\n');
  const start = lines.findIndex((line) => /Unhandled|error during close|close timed out/.test(line));
  if (start >= 0) console.log(indented(lines.slice(start).join('\n'), 60));
}

function indented(text, maxLines) {
  return text
    .split('\n')
    .slice(0, maxLines)
    .map((line) => `    ${line}`)
    .join('\n');
}
