import { setTimeout as sleep } from 'node:timers/promises';
import { ReconError, messageOf } from '../../errors.js';
import type { Sql } from '../client.js';
import { explainRefusal } from './connection-pooler.js';
import { configuredUrl, describeAddress, type ConnectionAddress } from './connection-address.js';
import { toReconError } from '../database-errors.js';

const startingUp = '57P03';
const startWithinMs = 60_000;
/** Connection refused. A mistyped address has the same effect, so the wait must be short. */
const refused = new Set(['ECONNREFUSED', 'ENOENT']);
const listenWithinMs = 5_000;
const betweenTriesMs = 1_000;

/**
 * Waits up to a minute for a server that is starting.
 *
 * @param options.isPatient whether to wait some seconds for a server that refuses connections, too
 * @param options.setting where the person wrote the URL, as in `readDatabaseUrl`
 * @throws ReconError of `toReconError`, with the address of the server; CONFIG_INVALID when the server refuses a
 *   setting of the URL
 */
export async function waitUntilUp(
  sql: Sql,
  address: ConnectionAddress,
  {
    isPatient,
    setting = configuredUrl,
  }: { readonly isPatient: boolean; readonly setting?: string | undefined },
): Promise<void> {
  const since = performance.now();
  let giveUpAfterMs = isPatient ? listenWithinMs : 0;
  for (;;) {
    try {
      await sql`select 1`;
      return;
    } catch (thrown) {
      const code = (thrown as { code?: string }).code ?? '';
      if (code === 'ECONNRESET' && requiresTls(address)) throw withoutTls(thrown, address);
      if (refusesSetting.has(code)) throw withRefusedSetting(thrown, setting, address);
      if (code === startingUp) giveUpAfterMs = startWithinMs;
      const waiting = code === startingUp || refused.has(code);
      if (!waiting || performance.now() - since >= giveUpAfterMs) throw atAddress(thrown, address);
      await sleep(betweenTriesMs);
    }
  }
}

const requiresTls = ({ ssl }: ConnectionAddress) => ssl !== undefined && ssl !== false && ssl !== 'prefer';

/**
 * The driver starts the TLS handshake even if the server said that it has no TLS; the server then closes the
 * connection.
 */
function withoutTls(thrown: unknown, address: ConnectionAddress): ReconError {
  return new ReconError(
    'DATABASE_UNREACHABLE',
    `The database server at ${describeAddress(address)} offers no TLS, or ended its handshake, and sslmode requires TLS. Turn it on there (ssl = on). Only on a network that you trust, use sslmode=disable.`,
    { cause: thrown },
  );
}

/** What a server answers to a session with a setting that is unknown, has a wrong value, is fixed or not readable. */
const refusesSetting = new Set(['42704', '22023', '55P02', '42601']);

/**
 * The driver sends every other parameter of the URL as a setting of the session. Many URLs have parameters of libpq,
 * such as `connect_timeout`, which no server knows. The value is left out of the message: it may be a secret.
 */
function withRefusedSetting(thrown: unknown, setting: string, address: ConnectionAddress): unknown {
  const { code = '' } = thrown as { code?: string };
  const names = Object.keys(address.connection ?? {});
  if (names.length === 0) return atAddress(thrown, address);
  const [, quoted] = /"([^"]*)"/.exec(messageOf(thrown)) ?? [];
  const refusedNames = quoted !== undefined && names.includes(quoted) ? [quoted] : names;
  const why =
    code === '42704'
      ? 'has no setting of this name'
      : 'does not accept this value, or does not let a session set it';
  return new ReconError(
    'CONFIG_INVALID',
    `${setting} has the parameter ${refusedNames.join(', ')}, and the server ${why} (${code}). Correct or remove it. Except for the address, sslmode and sslrootcert, recon sends each parameter to the server as a setting; other parameters of libpq, such as connect_timeout and channel_binding, are not settings. Address: ${describeAddress(address)}.`,
    { cause: thrown },
  );
}

/** Names the server, because with several configurations that is the first question. */
function atAddress(thrown: unknown, address: ConnectionAddress): unknown {
  const known = explainRefusal(thrown) ?? toReconError(thrown);
  return known === undefined
    ? thrown
    : new ReconError(known.code, `${known.message} Address: ${describeAddress(address)}.`, {
        cause: known,
      });
}
