import { systemCodeOf } from './disk/disk-errors.js';
import { ReconError } from './errors.js';

/** The error of a server of ours that cannot listen, for the gateway and for the review page. */
export function portUnavailable(host: string, port: number, thrown: unknown): ReconError {
  const code = systemCodeOf(thrown);
  const why =
    code === 'EADDRINUSE'
      ? 'another program listens there'
      : code === 'EACCES'
        ? 'the account may not use this port'
        : `the address cannot be used${code === undefined ? '' : ` (${code})`}`;
  return new ReconError('PORT_UNAVAILABLE', `recon cannot listen on ${host} port ${port}: ${why}.`, {
    cause: thrown,
  });
}
