import { compareWithModel } from './compare-with-model.js';

/** A few random sets in every test run; test/faults/matching-model.test.ts checks many. */
compareWithModel(3);
