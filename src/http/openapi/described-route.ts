import type { Route } from '../call.js';
import type { Answers } from './answers/answers.js';

/** A path that programs use, with its answers for the documents. */
export interface DescribedRoute extends Route {
  readonly answers: Answers;
}
