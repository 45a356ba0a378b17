import { afterAll, beforeAll, vi } from 'vitest';
import {
  prepareStage,
  baselineOutcome,
  type Measured,
  type Outcome,
  type Scene,
  type Stage,
} from './scene.js';

/** What the tests of one file start from, and the outcome that they must all end with. */
export interface PreparedScenes {
  readonly stage: () => Stage;
  readonly baseline: () => Outcome & Measured;
  /** Runs the work with a fresh scene, and removes it. */
  readonly withScene: (work: (scene: Scene) => Promise<void>) => Promise<void>;
}

/** Each test starts several processes, on machines that may be busy with others. */
const timeoutMs = 180_000;

/** To be called at the top of a test file: prepared before its tests and removed after them. */
export function prepareScenes(measure = baselineOutcome, testTimeout = timeoutMs): PreparedScenes {
  vi.setConfig({ testTimeout });
  let set: { readonly stage: Stage; readonly baseline: Outcome & Measured } | undefined;
  const present = () => {
    if (set === undefined) throw new Error('The stage stands only while tests run.');
    return set;
  };

  beforeAll(async () => {
    const stage = await prepareStage();
    set = { stage, baseline: await measure(stage) };
  });
  afterAll(() => present().stage.end());

  return {
    stage: () => present().stage,
    baseline: () => present().baseline,
    withScene: async (work) => {
      const scene = await present().stage.setScene();
      try {
        await work(scene);
      } finally {
        await scene.end();
      }
    },
  };
}
