import path from 'node:path';
import type { DeliveryTarget } from '../remote/target-settings.js';
import { knownHostsOf, readSftpSecrets } from './complete-sftp.js';
import type { SettingPath } from './config-document.js';
import { reportProtocol, reportRepeatedNames } from './list-entries.js';
import { targetSchemas } from './source-schema.js';
import { isGroup, type Surrounding } from './read-secret.js';
import { issueSentence, reportIssues } from './setting-issues.js';

const protocols = Object.keys(targetSchemas);

/**
 * The places that reports are delivered to (`reports.deliverTo`). Those with problems are left out, because the
 * problems end the program anyway.
 */
export function completeTargets(entries: readonly unknown[], surrounding: Surrounding): DeliveryTarget[] {
  const at: SettingPath = ['reports', 'deliverTo'];
  reportRepeatedNames(entries, at, 'target', surrounding);
  return entries.flatMap((entry, index) => {
    const target = completeTarget(entry, [...at, index], surrounding);
    return target === undefined ? [] : [target];
  });
}

function completeTarget(
  entry: unknown,
  at: SettingPath,
  surrounding: Surrounding,
): DeliveryTarget | undefined {
  const { problem, folder } = surrounding;
  if (!isGroup(entry)) {
    problem(at, 'must be a group of settings with name, protocol and folder');
    return undefined;
  }
  const protocol = entry['protocol'];
  if (protocol !== 'local' && protocol !== 'sftp') {
    reportProtocol(protocol, protocols, at, surrounding);
    return undefined;
  }
  const parsed = targetSchemas[protocol].safeParse(entry, { error: issueSentence });
  if (!parsed.success) {
    reportIssues(parsed.error, targetSchemas[protocol], (where, sentence, place) =>
      problem([...at, ...where], sentence, place),
    );
  }
  const secrets = protocol === 'sftp' ? readSftpSecrets(entry, 'an sftp target', at, surrounding) : undefined;
  if (!parsed.success) return undefined;
  const target = parsed.data;
  if (target.protocol === 'local') return { ...target, folder: path.resolve(folder, target.folder) };
  const { passwordFile: _p, privateKeyFile: _k, passphraseFile: _f, knownHostsFile, ...rest } = target;
  return {
    ...rest,
    kind: 'delivery target',
    password: secrets?.password ?? null,
    privateKey: secrets?.privateKey ?? null,
    passphrase: secrets?.passphrase ?? null,
    knownHostsFile: knownHostsOf(knownHostsFile, folder),
  };
}
