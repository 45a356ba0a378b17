import { assertNothingWritten } from './hostile-environment.js';

/** Checks after all tests have run. */
export function teardown(): void {
  assertNothingWritten();
}
