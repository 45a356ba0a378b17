import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settingsSchema } from '../../src/config/config-schema.js';
import { exitCodes } from '../../src/errors.js';
import { serve } from '../http/served.js';
import { folderForThisTest } from '../support/test-folder.js';
import { deployFile } from './deploy-files.js';

/** The gateways of `deploy/` start with the settings that they are given there, and stop without losing a request. */

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [
    {
      readonly image: string;
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string }[];
      readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
      readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
      readonly livenessProbe: object;
      readonly readinessProbe: object;
      readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
    },
  ];
}

interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>;
}

interface Deployment {
  readonly replicas: number;
  readonly strategy: object;
  readonly selector: Selector;
  readonly template: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: Pod;
  };
}

const documents = parseAllDocuments(deployFile('kubernetes/recon-gateway.yaml'), {
  strict: true,
  uniqueKeys: true,
});
// The shapes are what this test checks.
const [configMap, deployment, service, budget] = documents.map(
  (document) => document.toJS() as unknown,
) as unknown as [
  { data: Record<string, string> },
  { spec: Deployment },
  { spec: { selector: Readonly<Record<string, string>>; ports: readonly [{ targetPort: string }] } },
  { spec: { minAvailable: number; selector: Selector } },
];
const { template, replicas, strategy, selector } = deployment.spec;
const [container] = template.spec.containers;
const { requestTimeoutMs } = settingsSchema.parse({}).http;

test('the gateway of the cluster starts without a volume, and answers its probes on the port that they ask', async () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const given = configMap.data['recon.config.yaml'] ?? '';
  const { http } = settingsSchema.parse(parse(given));
  expect(container.ports).toEqual([
    { name: 'http', containerPort: http.port },
    { name: 'admin', containerPort: http.adminPort },
  ]);
  expect([container.livenessProbe, container.readinessProbe]).toMatchObject([
    { httpGet: { path: '/livez', port: 'admin' } },
    { httpGet: { path: '/readyz', port: 'admin' } },
  ]);
  expect(container.args).toEqual(['serve']);
  expect(container.env.map(({ name }) => name)).toEqual(['RECON_DATABASE_URL', 'RECON_ENCRYPTION_KEYS']);
  expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/etc/recon', '/tmp']);

  const folder = folderForThisTest();
  // Root could write to any folder, but not below a file.
  writeFileSync(path.join(folder, 'file'), '');
  const key = 'ab'.repeat(32);
  const gateway = await serve(given.replace(/adminPort: \d+/, 'adminPort: 0'), {
    RECON_DATA_DIR: path.join(folder, 'file', 'recon'),
    RECON_ENCRYPTION_KEYS: JSON.stringify({ current: '2026', keys: { 2026: key }, lookup: key }),
  });
  onTestFinished(() => gateway.close());
  const local = (url: string, probe: string) => `http://127.0.0.1:${new URL(url).port}${probe}`;
  const { url, adminUrl = '' } = gateway;
  expect((await fetch(local(adminUrl, '/livez'))).status).toBe(200);
  expect((await fetch(local(adminUrl, '/readyz'))).status).toBe(200);
  expect((await fetch(local(url, '/readyz'))).status).toBe(404);
  expect(await gateway.stop()).toBe(exitCodes.terminated);
});

test('a rolling restart keeps both gateways, and a pod has time for its pause and its last request', () => {
  expect(replicas).toBe(2);
  expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  const [program, seconds] = container.lifecycle.preStop.exec.command;
  expect(program).toBe('sleep');
  const remainingMs = (template.spec.terminationGracePeriodSeconds - Number(seconds)) * 1000;
  expect(remainingMs).toBeGreaterThan(requestTimeoutMs + 10_000);
});

test('the service and the budget choose the pods of the deployment, which have the image of the runs', () => {
  const { labels } = template.metadata;
  expect([selector.matchLabels, service.spec.selector, budget.spec.selector.matchLabels]).toEqual([
    labels,
    labels,
    labels,
  ]);
  expect(service.spec.ports[0].targetPort).toBe('http');
  expect(budget.spec.minAvailable).toBeLessThan(replicas);
  expect(deployFile('kubernetes/recon.yaml')).toContain(`image: ${container.image}\n`);
});

test('the gateway of the compose file starts with its profile only, and has time for its last request', () => {
  const { services } = parse(deployFile('container/compose.yaml')) as {
    services: Record<string, { readonly stop_grace_period: string }>;
  };
  const { gateway } = services;
  expect(gateway).toMatchObject({ profiles: ['gateway'], command: ['serve'], init: true, read_only: true });
  expect(Number.parseInt(gateway?.stop_grace_period ?? '') * 1000).toBeGreaterThan(requestTimeoutMs + 10_000);
});
