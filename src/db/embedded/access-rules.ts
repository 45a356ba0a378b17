import { chmodSync, chownSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ReconError } from '../../errors.js';
import { inPinnedFolder } from './private-folder.js';
import { accountOf } from './system-accounts.js';

/** The superuser of the embedded server. It has no password: the kernel says which account connects. */
export const serverUser = 'recon';

/** The name of the map from system accounts to the database user. */
const mapName = 'recon';

/** Undoes a `chmod -R a+rX`: otherwise PostgreSQL refuses to start; the socket is also in this folder. */
export async function closeToOthers(cluster: string): Promise<void> {
  await inPinnedFolder(cluster, [statSync(cluster).uid], (folder) => {
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  });
}

/**
 * Writes the rules for who may connect: root and the owner of the cluster, as identified by the kernel (peer). There is
 * no password that could leak. They are written before each start, so an old cluster gets the current rules.
 *
 * @throws ReconError DATABASE_EMBEDDED when our user id has no name, because PostgreSQL identifies a peer only by name
 */
export async function writeAccessRules(cluster: string): Promise<void> {
  const ownId = process.getuid?.() ?? 0;
  const { uid, gid } = statSync(cluster);
  const own = accountOf(ownId)?.name;
  if (own === undefined) throw nameless(ownId);
  const names = new Set([own, accountOf(0)?.name, accountOf(uid)?.name].filter((name) => name !== undefined));
  const files = {
    'pg_hba.conf': `local all ${serverUser} peer map=${mapName}\n`,
    'pg_ident.conf': [...names].map((name) => `${mapName} ${quoted(name)} ${serverUser}\n`).join(''),
  };
  await inPinnedFolder(cluster, [uid], (folder) => {
    for (const [name, text] of Object.entries(files)) {
      const draft = path.join(folder, `${name}.new`);
      rmSync(draft, { force: true });
      writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
      if (ownId === 0) chownSync(draft, uid, gid);
      renameSync(draft, path.join(folder, name));
    }
  });
}

function quoted(name: string): string {
  if (!/["\n]/.test(name)) return `"${name}"`;
  throw new ReconError(
    'DATABASE_EMBEDDED',
    `The embedded database cannot be used by an account whose name contains a quotation mark or a line break (${JSON.stringify(name)}).`,
  );
}

/** For a user id without an account, such as an arbitrary user id in a container. */
export function nameless(uid: number): ReconError {
  return new ReconError(
    'DATABASE_EMBEDDED',
    `The embedded database cannot be used by user id ${uid}, which has no name on this system (no entry in /etc/passwd). Run recon as a named user, or set RECON_DATABASE_URL to use your own server.`,
  );
}
