import { existsSync, lstatSync, statSync } from 'node:fs';
import { ReconError } from '../../errors.js';
import { chooseOwnAccount } from './own-account.js';
import type { ServerAccount } from './run-program.js';
import { accountOf, nobody } from './system-accounts.js';

/**
 * The account that the server of a data directory runs as, and whether its cluster must be given to that account first.
 */
export interface AccountChoice {
  readonly account: ServerAccount | undefined;
  readonly takeOver: boolean;
}

const root = 0;

/**
 * PostgreSQL refuses to run as root. If recon runs as root, the server runs as the owner of the cluster; a new cluster
 * belongs to the owner of the data directory or, if that is root, to a separate user id. A cluster that belongs to root
 * (restored from a copy) or to `nobody` (created by an earlier version) is taken over.
 *
 * @throws ReconError DATABASE_EMBEDDED when the cluster belongs to another user and recon does not run as root, or when
 *   no account is safe
 */
export function chooseAccount(dataDirectory: string, cluster: string): AccountChoice {
  const ownId = process.getuid?.();
  const found = clusterOwner(cluster, ownId);
  if (ownId !== root) {
    if (found === undefined || ownId === undefined || found.uid === ownId) {
      return { account: undefined, takeOver: false };
    }
    throw new ReconError(
      'DATABASE_EMBEDDED',
      `The database in ${cluster} belongs to user ${found.uid}, and recon runs as user ${ownId}. Run it as the same user, or give it another data directory.`,
    );
  }
  const directoryOwner = statSync(dataDirectory);
  requireSafeForRoot(dataDirectory, directoryOwner.uid);
  if (found !== undefined && found.uid !== root && found.uid !== nobody) {
    return { account: { uid: found.uid, gid: found.gid }, takeOver: false };
  }
  const account =
    directoryOwner.uid === root
      ? chooseOwnAccount(dataDirectory)
      : {
          uid: directoryOwner.uid,
          gid: accountOf(directoryOwner.uid)?.gid ?? directoryOwner.gid,
        };
  return { account, takeOver: found !== undefined };
}

/** The owner of the folder; a symbolic link is followed if root or this user created it. */
function clusterOwner(cluster: string, ownId: number | undefined): ServerAccount | undefined {
  const entry = lstatSync(cluster, { throwIfNoEntry: false });
  if (entry === undefined) return undefined;
  const found = entry.isSymbolicLink() && [root, ownId].includes(entry.uid) ? statSync(cluster) : entry;
  if (found.isDirectory()) return { uid: found.uid, gid: found.gid };
  throw new ReconError(
    'DATABASE_EMBEDDED',
    `${cluster} is not a folder but ${entry.isSymbolicLink() ? `a symbolic link of user ${entry.uid}` : 'a file'}. It was not used. Remove it, or give recon another data directory.`,
  );
}

function requireSafeForRoot(dataDirectory: string, owner: number): void {
  if (!existsSync('/proc/self/status')) {
    throw new ReconError(
      'DATABASE_EMBEDDED',
      'As root, recon runs the embedded database only on Linux with /proc, where it can verify who a server belongs to. Run recon as an ordinary user, or set RECON_DATABASE_URL.',
    );
  }
  if (owner === nobody) {
    throw new ReconError(
      'DATABASE_EMBEDDED',
      `The data directory ${dataDirectory} belongs to nobody, an account that other programs use as well: they could read and change the database. Give it to root or to a separate account (chown root ${dataDirectory}), or set RECON_DATABASE_URL.`,
    );
  }
}

/**
 * How the server finds its directory. Below a directory that its user may not enter (`/root`), it cannot use the path;
 * but it can use its working directory, which on Linux has a second path.
 */
export function clusterAsSeenByServer(
  cluster: string,
  account: ServerAccount | undefined,
): { cwd: string; argument: string } {
  return account !== undefined && process.platform === 'linux'
    ? { cwd: cluster, argument: '/proc/self/cwd' }
    : { cwd: '/', argument: cluster };
}
