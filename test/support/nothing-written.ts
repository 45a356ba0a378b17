import { assertNothingWritten } from './hostile-environment.js';

/** Looks when all tests have run. */
export function teardown(): void {
  assertNothingWritten();
}
