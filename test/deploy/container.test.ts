import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { commands } from '../../src/cli/commands.js';
import { deployFile } from './deploy-files.js';

// No test builds the image: that needs a container engine and its registry.
const root = path.resolve(import.meta.dirname, '../..');
const packageJson = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
  engines: { node: string };
};

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** The instructions of the Dockerfile; a line that ends with a backslash continues on the next one. */
const instructions: Instruction[] = deployFile('container/Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [, name = '', value = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return { name, value };
  });
const valuesOf = (wanted: string) =>
  instructions.filter(({ name }) => name === wanted).map(({ value }) => value);
const positionOf = (wanted: string, part = '') =>
  instructions.findIndex(({ name, value }) => name === wanted && value.includes(part));

test('the image has a Node.js that recon accepts, and glibc', () => {
  const [, major = ''] = /^node:(\d+)-bookworm-slim$/.exec(valuesOf('FROM').join()) ?? [];
  const [, least = ''] = /^>=(\d+)\./.exec(packageJson.engines.node) ?? [];
  expect(Number(major)).toBeGreaterThanOrEqual(Number(least));
});

test('it copies what npm pack writes, and the build sees nothing else', () => {
  expect(valuesOf('COPY')).toEqual(['recon-*.tgz /tmp/recon.tgz']);
  expect(deployFile('container/Dockerfile.dockerignore')).toBe('*\n!recon-*.tgz\n');
  // `npm pack` names the file so.
  expect(`${packageJson.name}-${packageJson.version}.tgz`).toMatch(/^recon-.*\.tgz$/);
});

test('it runs as an ordinary user in a volume that belongs to this user', () => {
  expect(valuesOf('USER')).toEqual(['node']);
  expect(valuesOf('VOLUME')).toEqual(['/data']);
  // The folder must belong to the user before it becomes a volume.
  expect(positionOf('RUN', 'chown node:node /data')).toBeGreaterThan(-1);
  expect(positionOf('RUN', 'chown node:node /data')).toBeLessThan(positionOf('VOLUME'));
  expect(valuesOf('ENV').join()).toContain('RECON_DATA_DIR=/data/recon');
  expect(valuesOf('ENTRYPOINT')).toEqual(['["recon"]']);
});

test('the compose file keeps the data, starts an init process and gives no rights away', () => {
  const { services, volumes } = parse(deployFile('container/compose.yaml')) as {
    services: Record<string, Record<string, unknown> & { build: Record<string, string>; volumes: string[] }>;
    volumes: Record<string, unknown>;
  };
  const service = services['recon'];
  expect(service).toMatchObject({
    command: ['schedule'],
    init: true,
    user: 'node',
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
  const limits = Object.values(services).map(({ ulimits }) => ulimits);
  // A core dump would contain passwords and keys.
  expect(limits).toEqual(limits.map(() => ({ core: 0 })));
  expect(Object.keys(volumes)).toEqual(['data']);
  expect(service?.volumes).toContain('data:/data');
  const [, config = ''] = /RECON_CONFIG=(\S+)/.exec(valuesOf('ENV').join()) ?? [];
  expect(service?.volumes).toContain(`./recon.config.yaml:${config}:ro`);
  const folder = path.resolve(root, 'deploy/container', service?.build['context'] ?? '');
  expect(folder).toBe(root);
  expect(existsSync(path.join(folder, service?.build['dockerfile'] ?? ''))).toBe(true);
  for (const command of ['schedule', 'run']) expect(commands.map(({ name }) => name)).toContain(command);
});
