import { writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/load-config.js';
import { readEnvironment } from '../../src/config/environment.js';
import { exitCodes } from '../../src/errors.js';
import { folderForThisTest } from '../support/test-folder.js';
import { deployFile } from './deploy-files.js';
import { complete, worthAnotherAttempt } from './exit-code-policy.js';

interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface CronJob {
  readonly spec: {
    readonly schedule: string;
    readonly concurrencyPolicy: string;
    readonly jobTemplate: {
      readonly spec: {
        readonly backoffLimit: number;
        readonly podFailurePolicy: {
          readonly rules: readonly {
            readonly action: string;
            readonly onExitCodes?: {
              readonly containerName: string;
              readonly operator: string;
              readonly values: readonly number[];
            };
            readonly onPodConditions?: readonly object[];
          }[];
        };
        readonly template: {
          readonly spec: {
            readonly restartPolicy: string;
            readonly securityContext: object;
            readonly containers: readonly [Container];
            readonly volumes: readonly { readonly name: string }[];
          };
        };
      };
    };
  };
}

const documents = parseAllDocuments(deployFile('kubernetes/recon.yaml'), { strict: true, uniqueKeys: true });
const ofKind = (kind: string) =>
  documents.map((document) => document.toJS() as { kind: string }).find((each) => each.kind === kind);
// The shape is what this test checks.
const job = ofKind('CronJob') as unknown as CronJob;
const { backoffLimit, podFailurePolicy, template } = job.spec.jobTemplate.spec;

test('it is valid YAML with the three objects', () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(documents.map((document) => (document.toJS() as { kind: string }).kind)).toEqual([
    'ConfigMap',
    'PersistentVolumeClaim',
    'CronJob',
  ]);
});

describe('the job', () => {
  test('never overlaps itself', () => {
    expect(job.spec).toMatchObject({ schedule: '30 5 * * *', concurrencyPolicy: 'Forbid' });
  });

  test('is not tried again after an exit code that would come again', () => {
    // podFailurePolicy has no effect with another restartPolicy.
    expect(template.spec.restartPolicy).toBe('Never');
    expect(backoffLimit).toBeGreaterThan(0);
    const [rule] = podFailurePolicy.rules;
    expect(rule).toMatchObject({ action: 'FailJob', onExitCodes: { operator: 'In' } });
    expect(rule?.onExitCodes?.containerName).toBe(template.spec.containers[0].name);
    const final = rule?.onExitCodes?.values ?? [];
    expect(final).toEqual(expect.arrayContaining([exitCodes.rejected, exitCodes.discrepancies, 8]));
    for (const code of Object.values(exitCodes)) {
      if (code === exitCodes.done) continue;
      expect({ code, final: final.includes(code) }).toEqual({ code, final: !worthAnotherAttempt(code) });
    }
    expect(complete).toContain(exitCodes.deliveryMissing);
  });

  test('is tried again after its node was drained, in the form that the schema of Kubernetes requires', () => {
    expect(podFailurePolicy.rules.at(-1)).toEqual({
      action: 'Ignore',
      onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
    });
  });

  test('runs as an ordinary user who may write to the volume', () => {
    expect(template.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      fsGroup: 1000,
      fsGroupChangePolicy: 'OnRootMismatch',
    });
    expect(template.spec.containers[0].securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('mounts what the image and the configuration name', () => {
    const { volumeMounts } = template.spec.containers[0];
    expect(volumeMounts.map(({ name }) => name)).toEqual(template.spec.volumes.map(({ name }) => name));
    const dockerfile = deployFile('container/Dockerfile');
    expect(dockerfile).toContain('RECON_DATA_DIR=/data/');
    expect(dockerfile).toContain('RECON_CONFIG=/etc/recon/recon.config.yaml');
    expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/etc/recon', '/keys', '/tmp']);
  });
});

test('its configuration is valid, with the key where the secret is mounted', () => {
  const folder = folderForThisTest();
  const { data } = ofKind('ConfigMap') as unknown as { data: Record<string, string> };
  const text = data['recon.config.yaml'] ?? '';
  expect(text).toContain('privateKeyFile: /keys/acquirer_ed25519\n');
  mkdirSync(path.join(folder, 'keys'));
  writeFileSync(path.join(folder, 'keys/acquirer_ed25519'), 'KEY\n', { mode: 0o600 });
  const file = path.join(folder, 'recon.config.yaml');
  writeFileSync(file, text.replace('/keys/', './keys/'));
  expect(loadConfig(file, readEnvironment({}), folder).sources).toMatchObject([
    { name: 'acquirer', protocol: 'sftp', filePattern: 'settlement-*.csv' },
  ]);
});
