import { readEnvironment } from '../../config/environment.js';
import { loadConfig } from '../../config/load-config.js';
import { exitCodes } from '../../errors.js';
import { showHostKeys, type ShownHostKey } from '../../remote/show-host-keys.js';
import type { SftpLogin } from '../../remote/source-settings.js';
import { usageError } from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';

/**
 * `recon doctor --show-host-key NAME`, of a source or of a place that reports are delivered to: the keys to verify
 * before the first run. It does not log in and stores nothing, so hostKeys may still be missing.
 */
export async function showHostKey(context: CommandContext, name: string): Promise<number> {
  const { options, environment, cwd, signal } = context;
  const config = loadConfig(options.config, readEnvironment(environment), cwd, { needsHostKeys: false });
  const servers = [...config.sources, ...config.reports.deliverTo];
  const source = servers.find((candidate) => candidate.name === name);
  if (source === undefined) {
    const names = servers.map((each) => each.name).join(', ');
    throw usageError(
      `There is no source "${name}"; ${names === '' ? 'none is configured' : `there are ${names}`}.`,
    );
  }
  if (source.protocol !== 'sftp') {
    throw usageError(`Source ${name} has the protocol ${source.protocol}; only sftp servers have host keys.`);
  }
  const hostKeys = await showHostKeys(source, signal);
  const { host, port } = source;
  context.print({ exitCode: exitCodes.done, source: name, host, port, hostKeys }, () =>
    describe(source, hostKeys),
  );
  return exitCodes.done;
}

function describe({ name, host, port }: SftpLogin, keys: readonly ShownHostKey[]): string {
  const wide = Math.max(...keys.map(({ type }) => type.length));
  const lines = keys.map(({ type, fingerprint, sha1Only, accepted }) => {
    const notes = [
      ...(accepted ? ['accepted by your configuration'] : []),
      ...(sha1Only ? ['signed with SHA-1 only: avoid it, or set allowSha1HostKeys: true'] : []),
    ];
    return `  ${type.padEnd(wide)}  ${fingerprint}${notes.length === 0 ? '' : `  (${notes.join('; ')})`}`;
  });
  const example = keys.find(({ sha1Only }) => !sha1Only) ?? keys[0];
  return [
    `Source ${name}: ${host}:${port} presents these host keys. recon did not log in, and trusts none of them yet.`,
    '',
    ...lines,
    '',
    'A man in the middle could have sent them. Before you use one:',
    '1. Get the fingerprint through another channel: from the documentation or the operator, or on the server with',
    `   ssh-keygen -lf ${keyFileOf(example?.type ?? '')}`,
    '2. Only if the fingerprints agree, write it into the configuration of the source:',
    `   hostKeys: ['${example?.fingerprint ?? ''}']`,
  ].join('\n');
}

/** Where OpenSSH keeps a host key of this type, such as `ssh-rsa` or `ecdsa-sha2-nistp256`. */
function keyFileOf(type: string): string {
  const name = type.replace(/^ssh-/, '').replace(/-.*/, '');
  return `/etc/ssh/ssh_host_${name}_key.pub`;
}
