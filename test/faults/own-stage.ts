import { afterAll, beforeAll, vi } from 'vitest';
import {
  prepareStage,
  undisturbedOutcome,
  type Measured,
  type Outcome,
  type Scene,
  type Stage,
} from './scene.js';

/** The stage that the tests of one file play on, and what they must all end with. */
export interface OwnStage {
  readonly stage: () => Stage;
  readonly undisturbed: () => Outcome & Measured;
  /** Plays on a fresh scene, and takes it down. */
  readonly onScene: (play: (scene: Scene) => Promise<void>) => Promise<void>;
}

/** To be called at the top of a test file: the stage is set before its tests and taken down after them. */
export function ownStage(measure = undisturbedOutcome): OwnStage {
  // Each test starts several processes, on machines that may be busy with others.
  vi.setConfig({ testTimeout: 180_000 });
  let set: { readonly stage: Stage; readonly undisturbed: Outcome & Measured } | undefined;
  const present = () => {
    if (set === undefined) throw new Error('The stage stands only while tests run.');
    return set;
  };

  beforeAll(async () => {
    const stage = await prepareStage();
    set = { stage, undisturbed: await measure(stage) };
  });
  afterAll(() => present().stage.end());

  return {
    stage: () => present().stage,
    undisturbed: () => present().undisturbed,
    onScene: async (play) => {
      const scene = await present().stage.setScene();
      try {
        await play(scene);
      } finally {
        await scene.end();
      }
    },
  };
}
