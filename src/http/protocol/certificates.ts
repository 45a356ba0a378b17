import { readFile, stat } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions, type Server as TlsServer } from 'node:tls';
import type { HttpSettings } from '../../config/http-schema.js';
import { causeOf } from '../../disk/disk-errors.js';
import { onChangedFiles } from '../../disk/on-changed-files.js';
import { ReconError, messageOf } from '../../errors.js';
import type { Logger } from '../../logger.js';

type TlsFiles = NonNullable<HttpSettings['tls']>;

/** Older versions are broken (RFC 8996). */
const oldest = 'TLSv1.2';

/**
 * The certificate and its key.
 *
 * @throws ReconError CONFIG_INVALID when a file cannot be read or used, or everybody may read the key
 */
export async function readCertificates({ certFile, keyFile }: TlsFiles): Promise<SecureContextOptions> {
  const cert = await readPem(certFile, 'http.tls.certFile');
  const key = await readPem(keyFile, 'http.tls.keyFile');
  if (((await stat(keyFile)).mode & 0o007) !== 0) {
    throw invalid(`http.tls.keyFile ${keyFile} can be read or changed by everybody; run chmod 600 on it`);
  }
  const options: SecureContextOptions = { cert, key, minVersion: oldest };
  try {
    // Fails for a file that is not PEM, and for a key of another certificate.
    createSecureContext(options);
  } catch (thrown) {
    throw invalid(
      `http.tls: ${certFile} and ${keyFile} are not a certificate and its key (${reasonOf(thrown)})`,
    );
  }
  return options;
}

/**
 * Looks for changed files, and uses the new certificate for new connections. If it cannot be used, for example because
 * only one of the two files is there yet, the old one stays in use and the log says why.
 *
 * @returns a function that stops looking
 */
export function reloadCertificates(server: TlsServer, files: TlsFiles, logger: Logger): () => void {
  return onChangedFiles([files.certFile, files.keyFile], async () => {
    try {
      server.setSecureContext(await readCertificates(files));
      logger.info('The TLS certificate was replaced.');
    } catch (thrown) {
      logger.error({ err: thrown }, 'The changed TLS certificate cannot be used; the old one stays in use.');
    }
  });
}

async function readPem(file: string, setting: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (thrown) {
    throw invalid(`${setting} ${file} cannot be read: ${causeOf(thrown)}`);
  }
}

/** OpenSSL's reason, which quotes nothing of a file. */
function reasonOf(thrown: unknown): string {
  return messageOf(thrown).split(':').at(-1)?.trim() ?? '';
}

const invalid = (message: string) => new ReconError('CONFIG_INVALID', `${message}.`);
