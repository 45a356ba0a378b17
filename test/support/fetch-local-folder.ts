import { pino } from 'pino';
import { ReconError } from '../../src/errors.js';
import { fetchSource } from '../../src/intake/fetch-source.js';
import { RefusedLogins } from '../../src/remote/refused-logins.js';
import { sourceDefaults } from '../../src/remote/source-settings.js';
import { silentProgress } from '../../src/progress.js';
import { plainArchive } from './archive.js';

/** A separate process that fetches a folder, for tests that make system calls fail. */
const [, , folder = '', dataDirectory = ''] = process.argv;
try {
  const files = fetchSource(
    { ...sourceDefaults, protocol: 'local', name: 'inbox', folder },
    {
      archive: plainArchive(dataDirectory),
      clock: Date.now,
      random: Math.random,
      sleep: () => Promise.resolve(),
      logger: pino({ level: 'silent' }),
      progress: silentProgress,
      signal: new AbortController().signal,
      refusedLogins: new RefusedLogins(),
      knownFiles: () => Promise.resolve(new Map()),
    },
  );
  for await (const file of files) process.stdout.write(`${file.name} ${file.status}\n`);
} catch (thrown) {
  if (!(thrown instanceof ReconError)) throw thrown;
  process.stdout.write(`${thrown.code} ${thrown.exitCode}\n`);
}
