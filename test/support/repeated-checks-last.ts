import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that repeat one check in many forms, for minutes. The longest stand first, so that at the end no worker is busy
 * with one of them while the others have nothing to do.
 */
const repeatedChecks = [
  'plans/degenerate-data',
  'faults/crash',
  'protocols',
  'faults/disk',
  'faults/stopped-runs',
  'shards/few-round-trips-of-deliveries',
  'faults/matching-model',
  'run/many-runs',
  'faults/database-full',
  'faults/database-commit',
  'worker/large-file-killed',
  'shards/few-round-trips',
  'faults/database-terminated',
  'reporting/crash',
  'faults/random-kills',
];

/**
 * Runs these files last. If the time of the tests is limited (`stop-at-deadline.ts`), a slow machine leaves out some
 * forms of a check, and not the only test of something else.
 */
export class RepeatedChecksLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification) =>
      repeatedChecks.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}
