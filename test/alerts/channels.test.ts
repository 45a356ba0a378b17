import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Alert } from '../../src/alerts/alert.js';
import { commandChannel } from '../../src/alerts/command.js';
import { emailChannel } from '../../src/alerts/email.js';
import { failureOf } from '../../src/alerts/stored-alerts.js';
import { webhookChannel } from '../../src/alerts/webhook.js';
import type { EmailSettings } from '../../src/config/alerts-schema.js';
import { deferred } from '../support/deferred.js';
import { usualCertificate } from '../support/self-signed-certificate.js';
import { startSmtpServer } from '../support/smtp-server.js';
import { folderForThisTest } from '../support/test-folder.js';

/** Each channel against a real server or program. */

const alert: Alert = {
  ...{ key: 'source-down:acquirer', kind: 'source-down', state: 'raised', runId: 17, page: null },
  message: 'The source acquirer could not be read.',
  since: '2026-11-20T05:30:00.000Z',
  at: '2026-11-20T05:30:00.000Z',
};
const message = (number = 1) => ({ id: `alert-1800000000000-${number}`, alert });

describe('email', () => {
  const settings = (port: number, more: Partial<EmailSettings> = {}): EmailSettings => ({
    ...{ host: '127.0.0.1', port, tls: 'none', certificateAuthority: null, username: null, password: null },
    ...{ from: 'recon@example.com', to: ['ops@example.com', 'night@example.com'] },
    ...{ attachReport: true, maximumAttachmentBytes: 1000 },
    ...more,
  });
  const trusted = { certificateAuthority: usualCertificate().cert };

  test.each(['starttls', 'implicit'] as const)(
    'logs in over %s and sends one mail for all alerts',
    async (tls) => {
      const server = await startSmtpServer({ tls, password: 'correct horse' });
      const login = { username: 'recon', password: 'correct horse', tls, ...trusted };
      await emailChannel(settings(server.port, login)).send([message(1), message(2)]);
      expect(server.mails).toHaveLength(1);
      const [mail] = server.mails;
      expect(mail).toMatchObject({
        from: 'recon@example.com',
        to: ['ops@example.com', 'night@example.com'],
        user: 'recon',
        isEncrypted: true,
      });
      expect(mail?.text).toContain('Subject: recon: new problems: 2, recovered: 0');
      expect(mail?.text).toContain('The source acquirer could not be read.');
      expect(mail?.text).not.toContain('correct horse');
    },
  );

  test('is not sent to a server whose certificate is not trusted, or that offers no encryption', async () => {
    const [encrypted, plain] = [
      await startSmtpServer({ tls: 'starttls' }),
      await startSmtpServer({ tls: 'none' }),
    ];
    const send = (port: number) => failureOf(emailChannel(settings(port, { tls: 'starttls' })), [message()]);
    expect(await send(encrypted.port)).toMatch(/self-signed certificate/);
    expect(await send(plain.port)).toMatch(/STARTTLS/);
    expect([...encrypted.mails, ...plain.mails]).toEqual([]);
    expect(await send(1)).toBe(
      'the server 127.0.0.1:1 could not be reached: the connection was refused (ECONNREFUSED)',
    );
  });

  test('a wrong password is an error that does not contain it', async () => {
    const server = await startSmtpServer({ tls: 'implicit', password: 'right' });
    const login = { username: 'recon', password: 'wrong-secret', tls: 'implicit' as const, ...trusted };
    const failure = await failureOf(emailChannel(settings(server.port, login)), [message()]);
    expect(failure).toMatch(/Invalid login/);
    expect(failure).not.toContain('wrong-secret');
  });

  test('a server that keeps answering without an end is given up, and its connection is closed', async () => {
    const closed = deferred();
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined).on('close', closed.resolve);
      socket.write('220 mail\r\n');
      // More lines of one answer, each before the connection is idle for too long.
      const lines = setInterval(() => socket.write('250-more\r\n'), 20);
      socket.on('close', () => clearInterval(lines));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    expect(await failureOf(emailChannel(settings(port), 500), [message()])).toBe(
      'the server did not take the mail within 0.5 seconds',
    );
    await closed.promise;
  });

  test('the page of the report is attached up to the limit', async () => {
    const server = await startSmtpServer();
    const page = path.join(folderForThisTest(), 'page.html');
    writeFileSync(page, `<p>${'x'.repeat(900)}</p>`);
    const send = async (settled: Partial<EmailSettings> = {}) => {
      await emailChannel(settings(server.port, settled)).send([{ id: 'a', alert: { ...alert, page } }]);
      return server.mails.at(-1)?.text ?? '';
    };
    expect(await send()).toMatch(/Content-Disposition: attachment; filename=[^\n]*page\.html/);
    const without = await send({ attachReport: false });
    expect(without).not.toContain('attachment');
    expect(without.replaceAll('=\r\n', '')).toContain(page);
    const tooLarge = await send({ maximumAttachmentBytes: 100 });
    expect(tooLarge).not.toContain('Content-Disposition: attachment');
    expect(tooLarge).toContain('907 bytes and is not attached');
    rmSync(page);
    expect(await send()).toContain('The report cannot be read and is not attached.');
  });
});

describe('webhook', () => {
  const key = Buffer.alloc(32, 7);
  const secret = `whsec_${key.toString('base64')}`;

  async function receiver(status: () => number = () => 204) {
    const requests: { headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        requests.push({ headers: request.headers, body });
        response.writeHead(status(), { location: 'http://127.0.0.1:1/' }).end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    // It listens on TCP.
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/hook?token=t0ken`, requests };
  }

  test('is signed over id, time and body, as Standard Webhooks says', async () => {
    const { url, requests } = await receiver();
    await webhookChannel({ url, secret }, () => 1_800_000_000_999).send([message()]);
    const [{ headers, body } = { headers: {}, body: '' }] = requests;
    expect(headers['webhook-id']).toBe('alert-1800000000000-1');
    expect(headers['webhook-timestamp']).toBe('1800000000');
    const signed = `alert-1800000000000-1.1800000000.${body}`;
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    expect(JSON.parse(body)).toEqual({ type: 'recon.alert.raised', timestamp: alert.at, data: alert });
  });

  test.each([302, 500, 404])('an answer of %i is a failure; a redirect is not followed', async (status) => {
    const { url, requests } = await receiver(() => status);
    expect(await failureOf(webhookChannel({ url, secret }, Date.now), [message()])).toBe(
      `the server answered with ${status}`,
    );
    expect(requests).toHaveLength(1);
  });

  test('a failure does not contain the address, which may contain a token', async () => {
    const failure = await failureOf(
      webhookChannel({ url: 'http://127.0.0.1:1/hook?token=t0ken', secret }, Date.now),
      [message()],
    );
    // fetch refuses this port.
    expect(failure).toBe('the server could not be reached: the request failed');
  });

  test.each([
    ['closes the connection', '', 'the connection was closed before an answer (UND_ERR_SOCKET)'],
    ['is not a web server', '220 mail\r\n', 'the answer is not HTTP/1.1 (HPE_INVALID_CONSTANT)'],
  ])('a server that %s is named as such', async (_what, text, reason) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(text));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const failure = await failureOf(
      webhookChannel({ url: `http://127.0.0.1:${port}/hook?token=t0ken`, secret }, Date.now),
      [message()],
    );
    expect(failure).toBe(`the server could not be reached: ${reason}`);
  });

  test('a thousand alerts leave no timer and no file, and few connections', async () => {
    const { url, requests } = await receiver();
    const channel = webhookChannel({ url, secret }, Date.now);
    await channel.send([message()]);
    const before = process.getActiveResourcesInfo().length;
    for (let number = 0; number < 1000; number += 1) await channel.send([message(number)]);
    expect(requests).toHaveLength(1001);
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before + 3);
  });
});

describe('command', () => {
  function program(text: string): string {
    const file = path.join(folderForThisTest(), 'alert.sh');
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  test('gets each alert as JSON on its input, its arguments, and a small environment', async () => {
    const out = path.join(folderForThisTest(), 'out');
    const file = program(
      `cat > ${out}; echo "$1 $RECON_DATABASE_URL" >> ${out}; env | cut -d= -f1 >> ${out}`,
    );
    await commandChannel([file, '$(date)'], { PATH: '/usr/bin:/bin' }).send([message()]);
    const [json = '', args, ...environment] = readFileSync(out, 'utf8').trim().split('\n');
    expect(JSON.parse(json)).toEqual({ id: 'alert-1800000000000-1', ...alert });
    // Without a shell nothing is expanded.
    expect(args).toBe('$(date) ');
    expect(environment.filter((name) => !['PATH', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([]);
  });

  test.each([
    ['exits with another code', 'exit 3', 'the program exited with 3'],
    ['is killed', 'kill -9 $$', 'the program was ended by SIGKILL'],
  ])('a program that %s is a failure', async (_name, text, failure) => {
    expect(await failureOf(commandChannel([program(text)], {}), [message()])).toBe(failure);
  });

  test('a program that does not end is ended, and one that ends leaves no timer', async () => {
    const endless = commandChannel([program('exec sleep 600')], { PATH: '/usr/bin:/bin' }, 100);
    expect(await failureOf(endless, [message()])).toBe('the program did not end within 0.1 s');
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    for (let time = 0; time < 5; time += 1) await commandChannel([program('exit 0')], {}).send([message()]);
    expect(timers()).toBe(before);
  });

  test('what a program that does not end has started is ended with it', async () => {
    const ticks = path.join(folderForThisTest(), 'ticks');
    const waiting = program(`while :; do echo tick >> ${ticks}; sleep 0.02; done & trap '' TERM; wait`);
    const failure = await failureOf(commandChannel([waiting], { PATH: '/usr/bin:/bin' }, 1000), [message()]);
    expect(failure).toBe('the program did not end within 1 s');
    const size = statSync(ticks).size;
    await setTimeout(500);
    expect(statSync(ticks).size).toBe(size);
  });

  test('a program that does not exist is a failure, one that ignores its input is not', async () => {
    expect(await failureOf(commandChannel(['/no/such/program'], {}), [message()])).toBe(
      'the program could not be started: it does not exist (ENOENT)',
    );
    expect(await failureOf(commandChannel([program('exit 0')], {}), [message()])).toBeNull();
  });
});
