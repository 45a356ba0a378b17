import { afterEach, beforeEach, test } from 'vitest';
import { createStoryPlace, expectSameBytes, expectStory, type StoryPlace } from './support/story.js';

/** Stories with rows that equal others, in one file or in several, and with rows that belong to others. */
let place: StoryPlace;

beforeEach(async () => {
  place = await createStoryPlace();
});
afterEach(() => place.remove());

test.each([
  'bad-rows',
  'chargeback-exceeds-payment',
  'chargebacks',
  'clean-day',
  'duplicate-settlement',
  'multiple-matches',
])(
  '%s: the run finds what is expected if each file has a table, and re-runs write the same bytes',
  async (story) => {
    await expectStory(story, place, 'largeFileBytes: 0\n');
    await expectSameBytes(place);
  },
);
