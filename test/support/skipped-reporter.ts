import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/**
 * Counts what did not run and lists it with the reason at the end of the run. A skip without a reason makes
 * the run fail: nobody could distinguish a machine that lacks something from a test that was switched off.
 */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _errors: readonly SerializedError[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]).filter(wasReached);
    // With -t on the command line, or `test.only`, whoever runs the tests has chosen what to skip.
    const isChosen = skipped.some(({ project }) => project.vitest.config.testNamePattern !== undefined);
    if (skipped.length === 0 || isChosen) return;
    const byReason = new Map<string, TestCase[]>();
    for (const test of skipped) {
      const reason = reasonOf(test) ?? '';
      byReason.set(reason, [...(byReason.get(reason) ?? []), test]);
    }
    process.stdout.write(`\n${skipped.length} skipped:\n`);
    for (const [reason, tests] of byReason) {
      process.stdout.write(`  ${reason === '' ? 'NO REASON GIVEN' : reason} (${tests.length}):\n`);
      for (const test of tests)
        process.stdout.write(`    ${test.module.relativeModuleId} > ${test.fullName}\n`);
    }
    if (byReason.has('')) process.exitCode = 1;
  }
}

/** False for tests that did not run because a hook or file failed: that failure is reported already. */
function wasReached(test: TestCase): boolean {
  for (let at: TestCase['parent'] = test.parent; ; at = at.parent) {
    if (at.errors().length > 0) return false;
    if (at.type === 'module') return true;
  }
}

/** The reason given to `skip(reason)`, or by the options of the test or of a group around it. */
function reasonOf(test: TestCase): string | undefined {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  let at: TestCase | TestCase['parent'] = test;
  for (;;) {
    if (at.type === 'module') return undefined;
    const { skippedBecause } = at.meta();
    if (skippedBecause !== undefined) return skippedBecause;
    at = at.parent;
  }
}
