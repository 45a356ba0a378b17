import { beforeEach } from 'vitest';

/**
 * Skips each test that would start after RECON_TESTS_END_AT, in seconds since 1970. `.ci/run` has to end in bounded
 * time on a slow machine too, and every test that it leaves out is listed with this reason.
 */
const endsAtMs = Number(process.env['RECON_TESTS_END_AT']) * 1000;

beforeEach(({ skip }) => {
  skip(Date.now() >= endsAtMs, 'the time for the tests was over; `npm run test:all` runs them all');
});
