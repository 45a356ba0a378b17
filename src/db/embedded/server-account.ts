import { statSync } from 'node:fs';
import { ReconError } from '../../errors.js';

/** The user as whom the server runs; undefined: as we do. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` and its group, the same numbers on every Linux. */
const nobody: ServerAccount = { uid: 65534, gid: 65534 };

/**
 * PostgreSQL refuses to run as root. When we are root it runs as the owner of the cluster, or as nobody for
 * a new one: no user has to be created.
 *
 * @throws ReconError DATABASE_EMBEDDED when the cluster belongs to another user and we are not root
 */
export function serverAccount(cluster: string): ServerAccount | undefined {
  const ownId = process.getuid?.();
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (ownId !== 0) {
    if (owner === undefined || ownId === undefined || owner.uid === ownId) return undefined;
    throw new ReconError(
      'DATABASE_EMBEDDED',
      `The database in ${cluster} belongs to user ${owner.uid}, and recon runs as user ${ownId}. Run it as the same user, or give it another data directory.`,
    );
  }
  return owner === undefined || owner.uid === 0 ? nobody : { uid: owner.uid, gid: owner.gid };
}

/**
 * How the server finds its directory. Below a directory that its user may not enter (`/root`), a path is of no
 * use to it; the working directory it was started in is, and on Linux has a path of its own.
 */
export function clusterAsSeenByServer(
  cluster: string,
  account: ServerAccount | undefined,
): { cwd: string; argument: string } {
  return account !== undefined && process.platform === 'linux'
    ? { cwd: cluster, argument: '/proc/self/cwd' }
    : { cwd: '/', argument: cluster };
}
