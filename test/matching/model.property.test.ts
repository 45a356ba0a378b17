import { compareWithModel } from './compare-with-model.js';

/**
 * Some random worlds, the same in every test run, so that a failure comes from the change that is tested.
 * test/faults/matching-model.test.ts looks at many new ones.
 */
compareWithModel(6, 20261122);
