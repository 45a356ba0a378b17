import { pino } from 'pino';
import type { FetchDependencies } from '../../src/intake/fetch/fetched-file.js';
import { RefusedLogins } from '../../src/remote/refused-logins.js';
import { silentProgress } from '../../src/progress.js';
import { plainArchive } from './archive.js';

/** What fetching into a data directory needs: nothing is logged, no file is known, and retries do not wait. */
export function fetchDependencies(dataDirectory: string): FetchDependencies {
  return {
    archive: plainArchive(dataDirectory),
    clock: Date.now,
    random: () => 0.5,
    sleep: () => Promise.resolve(),
    logger: pino({ level: 'silent' }),
    progress: silentProgress,
    signal: new AbortController().signal,
    refusedLogins: new RefusedLogins(),
    knownFiles: () => Promise.resolve(new Map()),
  };
}
