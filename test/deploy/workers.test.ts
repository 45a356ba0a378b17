import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settingsSchema } from '../../src/config/config-schema.js';
import { readEnvironment } from '../../src/config/environment.js';
import { loadConfig } from '../../src/config/load-config.js';
import { metricCatalogue, metricNames } from '../../src/metrics/metric-catalogue.js';
import { folderForThisTest } from '../support/test-folder.js';
import { deployFile } from './deploy-files.js';

/** The deployment of workers fits the program, and the runs beside it. */

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [
    {
      readonly image: string;
      readonly args: readonly string[];
      readonly ports: readonly [{ readonly name: string; readonly containerPort: number }];
      readonly livenessProbe: object;
      readonly readinessProbe: object;
      readonly volumeMounts: readonly { readonly name: string; readonly readOnly?: boolean }[];
    },
  ];
}

const documents = parseAllDocuments(deployFile('kubernetes/recon-workers.yaml'), {
  strict: true,
  uniqueKeys: true,
});
// The shapes are what this test checks.
const [configMap, deployment, scaler] = documents.map(
  (document) => document.toJS() as unknown,
) as unknown as [
  { data: Record<string, string> },
  { metadata: { name: string }; spec: { template: { spec: Pod } } },
  {
    spec: {
      scaleTargetRef: { name: string };
      minReplicas: number;
      metrics: [{ external: { metric: { name: string } } }];
    };
  },
];
const pod = deployment.spec.template.spec;

function settings() {
  const folder = folderForThisTest();
  const file = path.join(folder, 'recon.config.yaml');
  writeFileSync(file, configMap.data['recon.config.yaml'] ?? '');
  return loadConfig(file, readEnvironment({}), folder).worker;
}

test('its configuration is valid, and the pod waits for longer than a worker that stops', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const { adminPort, adminHost, graceSeconds } = settings();
  const [container] = pod.containers;
  expect({ adminPort, adminHost }).toEqual({
    adminPort: container.ports[0].containerPort,
    adminHost: '0.0.0.0',
  });
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(graceSeconds + 5);
  expect(container.args).toEqual(['worker']);
  const port = container.ports[0].name;
  expect([container.livenessProbe, container.readinessProbe]).toMatchObject([
    { httpGet: { path: '/livez', port } },
    { httpGet: { path: '/readyz', port } },
  ]);
});

test('it has the image of the runs, and only reads their archive', () => {
  const [container] = pod.containers;
  expect(deployFile('kubernetes/recon.yaml')).toContain(`image: ${container.image}\n`);
  expect(container.volumeMounts.find(({ name }) => name === 'data')?.readOnly).toBe(true);
});

test('the autoscaler follows a metric that workers have, and leaves one worker', () => {
  const { scaleTargetRef, minReplicas, metrics } = scaler.spec;
  const { name } = metrics[0].external.metric;
  expect(scaleTargetRef.name).toBe(deployment.metadata.name);
  expect(minReplicas).toBe(1);
  // It must be a figure of workers: runs end, and recon serve knows nothing of the queue.
  expect(metricNames.find((each) => each === name && metricCatalogue[each].of === 'worker')).toBeDefined();
  // All workers report the same queue.
  expect(deployFile('kubernetes/recon-workers.yaml')).toContain(`metricsQuery: max(${name}{`);
});

test('the workers of the compose file only read the data, and start with their profile only', () => {
  const { services } = parse(deployFile('container/compose.yaml')) as {
    services: Record<
      string,
      { profiles?: string[]; command: string[]; volumes: string[]; stop_grace_period?: string }
    >;
  };
  expect(services['worker']).toMatchObject({ profiles: ['workers'], command: ['worker'], init: true });
  // With a name or a port on the host there could only be one.
  expect(services['worker']).not.toHaveProperty('container_name');
  expect(services['worker']).not.toHaveProperty('ports');
  const { graceSeconds } = settingsSchema.parse({}).worker;
  expect(Number.parseInt(services['worker']?.stop_grace_period ?? '')).toBeGreaterThan(graceSeconds + 5);
  expect(services['worker']?.volumes.every((volume) => volume.endsWith(':ro'))).toBe(true);
});
