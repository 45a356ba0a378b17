import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { settingsSchema } from '../../src/config/config-schema.js';
import { sourceSchemas } from '../../src/config/source-schema.js';
import { exampleConfig } from '../../src/config/example-config.js';
import { loadConfig } from '../../src/config/load-config.js';

const environment = {
  databaseUrl: null,
  dataDirectory: null,
  configFile: null,
  encryptionKeys: null,
  archiveKeys: null,
  user: null,
  failAt: undefined,
  variable: () => undefined,
  names: [],
};

/** Passes for any secret that the example names, also for a key. */
const anySecret = '-----BEGIN PGP PRIVATE KEY BLOCK-----\n-----BEGIN PGP PUBLIC KEY BLOCK-----\n';

function load(text: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'recon-example-'));
  try {
    mkdirSync(path.join(folder, 'secrets'));
    for (const name of text.matchAll(/File: (\S+)/g)) {
      writeFileSync(path.join(folder, path.basename(name[1] ?? '')), anySecret, { mode: 0o600 });
    }
    writeFileSync(path.join(folder, 'c.yaml'), text);
    return { config: loadConfig('c.yaml', environment, folder), folder };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The example with its commented settings switched on, and with the secrets in the same folder. */
const everything = exampleConfig
  .replace(/^( *)# (databaseUrlFile:|email:|- name| {2}( *)(#|[a-zA-Z0-9]+:))/gm, '$1$2')
  .replace(/(File): \/[\w/.-]*\//g, '$1: ./');

test('the example works as it is written, and its values are the defaults', () => {
  const { config, folder } = load(exampleConfig);
  const defaults = loadConfig(null, environment, folder);
  expect({ ...config, file: null, sources: [] }).toEqual({ ...defaults, placeOf: config.placeOf });
  expect(config.sources).toEqual([
    {
      ...sourceSchemas.local.parse({ protocol: 'local', name: 'inbox', folder: 'x' }),
      folder: path.join(folder, 'inbox'),
      timezone: 'UTC',
      totals: null,
      openpgp: null,
      expected: [],
    },
  ]);
});

test('the sources in comments work when they are switched on', () => {
  const { config } = load(everything);
  expect(config.sources.map((source) => source.protocol)).toEqual(['local', 'sftp', 'ftps', 'ftp']);
  expect(config.alerts.email).toMatchObject({ port: 587, tls: 'starttls', to: ['operations@example.com'] });
});

test('every setting is in it', () => {
  const written = parse(everything) as { sources: Record<string, unknown>[] } & Record<string, unknown>;
  expect(Object.keys(settingsSchema.shape).filter((key) => !exampleConfig.includes(`${key}:`))).toEqual([]);
  const shown = new Set(written.sources.flatMap((source) => Object.keys(source)));
  const documented = new Set(Object.values(sourceSchemas).flatMap((schema) => Object.keys(schema.shape)));
  // The example describes these in words, because a secret does not belong in the file.
  for (const inWords of ['password', 'passphrase']) documented.delete(inWords);
  expect([...documented].filter((name) => !shown.has(name))).toEqual([]);
});
