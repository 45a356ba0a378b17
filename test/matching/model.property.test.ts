import { compareWithModel } from './compare-with-model.js';

/** Some random worlds in every test run; test/faults/matching-model.test.ts checks many. */
compareWithModel(15);
