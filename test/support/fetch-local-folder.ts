import { ReconError } from '../../src/errors.js';
import { fetchSource } from '../../src/intake/fetch/fetch-source.js';
import { sourceDefaults } from '../../src/remote/source-settings.js';
import { fetchDependencies } from './fetch-dependencies.js';

/** A separate process that fetches a folder, for tests that make system calls fail. */
const [, , folder = '', dataDirectory = ''] = process.argv;
try {
  const files = fetchSource(
    { ...sourceDefaults, protocol: 'local', name: 'inbox', folder },
    fetchDependencies(dataDirectory),
  );
  for await (const file of files) process.stdout.write(`${file.name} ${file.status}\n`);
} catch (thrown) {
  if (!(thrown instanceof ReconError)) throw thrown;
  process.stdout.write(`${thrown.code} ${thrown.exitCode}\n`);
}
