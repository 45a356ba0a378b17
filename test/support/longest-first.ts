import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These run for minutes although their files are short. */
const longFiles = /\/test\/(faults\/(matching-model|random-kills|runs-at-once)|run\/many-runs)\.test\.ts$/;

/**
 * Starts these files first. Vitest knows only the size of a file when it runs it for the first time: it started them
 * last, and then one worker was busy for two minutes while the others had nothing to do.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longFiles.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
