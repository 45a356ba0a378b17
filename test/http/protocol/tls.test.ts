import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as openSocket } from 'node:net';
import path from 'node:path';
import { connect, TLSSocket, type PeerCertificate, type SecureVersion } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { usualCertificate, selfSignedCertificate } from '../../support/self-signed-certificate.js';
import { folderForThisTest } from '../../support/test-folder.js';
import { serve } from '../served.js';

/** TLS of the gateway, its certificate files, and the proxies that may connect without it. */

interface Files {
  readonly certFile: string;
  readonly keyFile: string;
}

function certificateFiles({ cert, key }: { cert: string; key: string } = usualCertificate()): Files {
  const folder = folderForThisTest();
  const files = { certFile: path.join(folder, 'cert.pem'), keyFile: path.join(folder, 'key.pem') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}

const tlsOf = ({ certFile, keyFile }: Files) => `tls: { certFile: ${certFile}, keyFile: ${keyFile} }`;
const configOf = (files: Files) => `http: { ${tlsOf(files)} }`;

/** GET /livez over TLS; the status, the version and the certificate of the connection. */
function probe(
  url: string,
  ca: string,
  maxVersion: SecureVersion = 'TLSv1.3',
): Promise<{ status: number; version: string | null; certificate: PeerCertificate }> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const target = {
      host: '127.0.0.1',
      port,
      path: '/livez',
      ca,
      servername: 'localhost',
      maxVersion,
      agent: false,
    };
    const sent = request(target, (response) => {
      if (!(response.socket instanceof TLSSocket)) throw new Error('plain');
      const { socket } = response;
      const [version, certificate] = [socket.getProtocol(), socket.getPeerCertificate()];
      response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, version, certificate }));
    });
    sent.on('error', reject).end();
  });
}

test('serves TLS 1.2 and 1.3, and refuses 1.1', async () => {
  const gateway = await serve(configOf(certificateFiles()));
  onTestFinished(() => gateway.close());
  const { cert } = usualCertificate();
  expect(gateway.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(await probe(gateway.url, cert)).toMatchObject({ status: 200, version: 'TLSv1.3' });
  expect(await probe(gateway.url, cert, 'TLSv1.2')).toMatchObject({ status: 200, version: 'TLSv1.2' });
  const refusal = await new Promise<string | undefined>((resolve) => {
    const socket = connect({
      ...{ host: '127.0.0.1', port: Number(new URL(gateway.url).port), ca: cert, servername: 'localhost' },
      ...{ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' },
    });
    socket
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
      .on('secureConnect', () => resolve('connected'));
  });
  // The server's answer, not a refusal by the client itself.
  expect(refusal).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
});

test('answers a client that has closed its sending side', async () => {
  const gateway = await serve(configOf(certificateFiles()));
  onTestFinished(() => gateway.close());
  const options = { host: '127.0.0.1', port: Number(new URL(gateway.url).port), allowHalfOpen: true };
  const authorization = `Authorization: Bearer ${await gateway.token()}`;
  const answer = await new Promise<string>((resolve, reject) => {
    let received = '';
    const client = connect({ ...options, ca: usualCertificate().cert, servername: 'localhost' });
    client.setEncoding('utf8').on('data', (data: string) => (received += data));
    client.on('end', () => resolve(received)).on('error', reject);
    client.once('secureConnect', () =>
      client.end(`GET /v1/query HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`),
    );
  });
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer).toContain('700.400.580');
});

test('uses a changed certificate without a restart, and keeps the old one while the new one is incomplete', async () => {
  const files = certificateFiles();
  const gateway = await serve(configOf(files));
  onTestFinished(() => gateway.close());
  const [old, renewed] = [usualCertificate(), selfSignedCertificate()];
  writeFileSync(`${files.certFile}.new`, renewed.cert);
  renameSync(`${files.certFile}.new`, files.certFile);
  await until(() => gateway.stderr().includes('the old one stays in use'));
  expect((await probe(gateway.url, old.cert)).status).toBe(200);
  writeFileSync(files.keyFile, renewed.key);
  await until(() => gateway.stderr().includes('The TLS certificate was replaced'));
  expect((await probe(gateway.url, renewed.cert)).status).toBe(200);
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 50));
}

test.each([
  [
    'a file that does not exist',
    (files: Files) => rmSync(files.certFile),
    'cannot be read: it does not exist (ENOENT)',
  ],
  [
    'a folder',
    (files: Files) => {
      rmSync(files.certFile);
      mkdirSync(files.certFile);
    },
    'cannot be read: it is a folder (EISDIR)',
  ],
  [
    'text that is no certificate',
    (files: Files) => writeFileSync(files.certFile, 'x'),
    'are not a certificate and its key',
  ],
  [
    'the key of another certificate',
    (files: Files) => writeFileSync(files.keyFile, selfSignedCertificate().key),
    'are not a certificate and its key',
  ],
])('does not start with %s', async (_what, spoil, message) => {
  const files = certificateFiles();
  spoil(files);
  await expect(serve(configOf(files))).rejects.toThrow('serve ended with 2');
  await expect(serve(configOf(files))).rejects.toThrow(message);
});

test('ends a connection that begins no handshake, and a stop does not wait for one', async () => {
  const gateway = await serve(`http: { requestTimeoutMs: 500, ${tlsOf(certificateFiles())} }`);
  onTestFinished(() => gateway.close());
  const silent = () => openSocket(Number(new URL(gateway.url).port), '127.0.0.1').resume();
  const first = silent();
  await new Promise((resolve) => first.once('end', resolve));
  expect(gateway.stderr()).toContain('ERR_TLS_HANDSHAKE_TIMEOUT');
  const second = silent();
  onTestFinished(() => void second.destroy());
  await new Promise((resolve) => second.once('connect', resolve));
  expect(await gateway.stop()).toBe(143);
});

test('does not start with a key that everybody may read, or a proxy that is no address', async () => {
  const files = certificateFiles();
  rmSync(files.keyFile);
  writeFileSync(files.keyFile, usualCertificate().key, { mode: 0o644 });
  await expect(serve(configOf(files))).rejects.toThrow('chmod 600');
  await expect(serve('http: { trustProxy: [10.0.0.0/99] }')).rejects.toThrow(
    'is not an address or a network',
  );
});

test('listens beyond this machine when a proxy is named, and logs the address that the proxy reports', async () => {
  const gateway = await serve('http: { host: 0.0.0.0, trustProxy: [127.0.0.1] }');
  onTestFinished(() => gateway.close());
  const url = gateway.url.replace('0.0.0.0', '127.0.0.1');
  const answer = await fetch(`${url}/livez`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
  expect(answer.status).toBe(200);
  await until(() => gateway.stderr().includes('"address":"203.0.113.7"'));
});

test('moves /readyz to the admin port', async () => {
  const gateway = await serve('http: { adminPort: 0 }');
  onTestFinished(() => gateway.close());
  const status = async (url: string) => (await fetch(url)).status;
  expect(await status(`${gateway.url}/readyz`)).toBe(404);
  expect(await status(`${gateway.url}/livez`)).toBe(200);
  expect(await status(`${gateway.adminUrl ?? ''}/readyz`)).toBe(200);
  expect(await status(`${gateway.adminUrl ?? ''}/livez`)).toBe(200);
  expect(await status(`${gateway.adminUrl ?? ''}/v1/payments`)).toBe(404);
});
