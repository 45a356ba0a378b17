import { once } from 'node:events';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { reasonOfFailure } from '../../src/webhooks/reason-of-failure.js';
import { usualCertificate } from '../support/self-signed-certificate.js';

/** Sends a request to a server with these settings, and returns why it failed. */
async function failureAt(options: TlsOptions): Promise<string> {
  const { key, cert } = usualCertificate();
  const server = createServer({ key, cert, ...options }, (socket) => {
    socket.on('error', () => undefined);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const sent = request({ host: '127.0.0.1', port, method: 'POST', ca: cert, minVersion: 'TLSv1.2' });
    sent.end('x');
    const [thrown] = (await once(sent, 'error')) as [NodeJS.ErrnoException];
    return reasonOfFailure(thrown);
  } finally {
    server.close();
  }
}

describe('a receiver that refuses the handshake', () => {
  test('with TLS 1.2, because it asks for a client certificate, is not said to have no TLS', async () => {
    expect(await failureAt({ requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' })).toBe(
      'TLS failed (the receiver asks for a client certificate, which recon does not have, or accepts none of the ciphers that recon offers)',
    );
  });

  test('because it knows only TLS 1.1 is named as such', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await failureAt(old)).toBe(
      'TLS failed (the receiver offers no TLS at this port, or none of version 1.2 or later)',
    );
  });

  test('but not one that closes the connection after it', async () => {
    expect(await failureAt({})).toBe('the connection was closed before an answer');
  });
});

test.each([
  ['CERT_HAS_EXPIRED', ': the certificate has expired'],
  ['CERT_NOT_YET_VALID', ': the certificate is not valid yet, or the clock of this machine is wrong'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', ': the certificate is for another name'],
  ['INVALID_PURPOSE', ': the certificate is not for servers'],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ': the authority of the certificate is not trusted; webhooks.caFile can name it',
  ],
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    ': the receiver asks for a client certificate, which recon does not have',
  ],
  ['CERT_REVOKED', ''],
])('TLS that fails with %s is explained in words', (code, words) => {
  expect(reasonOfFailure(Object.assign(new Error('TLS'), { code }))).toBe(`TLS failed (${code})${words}`);
});
