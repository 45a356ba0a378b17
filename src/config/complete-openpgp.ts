import type { OpenPgpSettings } from '../remote/source-settings.js';
import type { SettingPath } from './config-document.js';
import { isGroup, readTextFile, secretOf, type Surrounding } from './read-secret.js';

/** The setting `openpgp` of a source with its keys; null without the setting, or if a key is missing. */
export function completeOpenPgp(
  setting: unknown,
  required: boolean,
  at: SettingPath,
  surrounding: Surrounding,
): OpenPgpSettings | null {
  if (!isGroup(setting)) return null;
  const privateKey = secretOf(setting, 'privateKey', at, surrounding);
  if (setting['privateKey'] === undefined && setting['privateKeyFile'] === undefined) {
    surrounding.problem(at, 'needs privateKeyFile or privateKey, the key that files are encrypted for');
  }
  const passphrase = secretOf(setting, 'passphrase', at, surrounding);
  const senderKey = readTextFile(setting['senderKeyFile'], [...at, 'senderKeyFile'], surrounding);
  const keySetting = setting['privateKey'] === undefined ? 'privateKeyFile' : 'privateKey';
  requireArmor(privateKey, 'PRIVATE', [...at, keySetting], surrounding);
  requireArmor(senderKey, 'PUBLIC', [...at, 'senderKeyFile'], surrounding);
  return privateKey === null ? null : { privateKey, passphrase, senderKey, required };
}

function requireArmor(key: string | null, kind: string, at: SettingPath, { problem }: Surrounding): void {
  if (key === null || key === '' || key.includes(`-----BEGIN PGP ${kind} KEY BLOCK-----`)) return;
  problem(at, `contains no armored OpenPGP key (-----BEGIN PGP ${kind} KEY BLOCK-----)`);
}
