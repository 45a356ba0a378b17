import { createHash } from 'node:crypto';
import { ReconError } from '../errors.js';
import type { FtpSource, SftpSource } from './source-settings.js';

/**
 * A digest of server, user and credentials: two sources with the same digest use the same login. A weak secret
 * cannot be guessed from it, because the digest never leaves the process.
 */
export function accountOf(source: FtpSource | SftpSource): string {
  const proof = source.protocol === 'sftp' ? [source.privateKey, source.passphrase] : [];
  const parts = [source.host.toLowerCase(), source.port, source.username, source.password, ...proof];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Logins that a server refused in this run. None of them is tried again. */
export class RefusedLogins {
  readonly #sources = new Map<string, string>();

  /**
   * Remembers a failure when it is a refused login.
   *
   * @param source the name of the source that was refused
   */
  remember(account: string | null, source: string, thrown: unknown): void {
    const isRefusal = thrown instanceof ReconError && thrown.code === 'SOURCE_AUTHENTICATION';
    if (account !== null && isRefusal && !this.#sources.has(account)) this.#sources.set(account, source);
  }

  /** @throws ReconError SOURCE_AUTHENTICATION when the server refused the same login before. */
  refuseRepeated(account: string | null, source: string): void {
    const first = account === null ? undefined : this.#sources.get(account);
    if (first === undefined) return;
    throw new ReconError(
      'SOURCE_AUTHENTICATION',
      `The login of source ${source} was not tried: the server refused the same login earlier in this run` +
        `${first === source ? '' : ` (source ${first})`}, and each try may count towards a lock-out.`,
    );
  }
}
