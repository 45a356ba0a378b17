import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../support/free-port.js';
import { needs } from '../support/needs.js';
import { usualCertificate } from '../support/self-signed-certificate.js';
import { folderForThisTest } from '../support/test-folder.js';
import { payment, serve, type Served } from './served.js';

/** The gateway behind nginx and HAProxy, with the files that docs/http.md has. */

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/http.md'), 'utf8');
const [, settings = '', site = ''] =
  /## Behind a proxy\n[^]*?```yaml\n([^]*?)```[^]*?```nginx\n([^]*?)```/.exec(page) ?? [];

const balancer = /```haproxy\n([^]*?)```/.exec(page)?.[1] ?? '';

const nginx = needs.nginx();
const haproxy = needs.program('haproxy');

test.runIf(haproxy.isMet)(
  'behind HAProxy, no payment fails while one of two gateways stops',
  haproxy.orSkipped,
  async () => {
    const config = 'http: { trustProxy: [127.0.0.1], adminPort: 0 }\n';
    const first = await serve(config);
    const second = await serve(config, {}, first);
    const token = await first.token();
    const folder = folderForThisTest();
    const port = await freePort();
    const { key, cert } = usualCertificate();
    writeFileSync(path.join(folder, 'both.pem'), `${cert}${key}`);
    const hosts = { a: first, b: second };
    const placed = balancer
      .replace(
        'bind :443 ssl crt /etc/ssl/private/pay.example.com.pem',
        `bind 127.0.0.1:${port} ssl crt ${folder}/both.pem`,
      )
      .replace(/server ([ab]) \S+ check port 9090/g, (_line, name: 'a' | 'b') => {
        const { url, adminUrl = '' } = hosts[name];
        return `server ${name} ${new URL(url).host} check port ${new URL(adminUrl).port}`;
      });
    writeFileSync(path.join(folder, 'haproxy.cfg'), placed);
    const proxy = spawn('haproxy', ['-f', path.join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
    const ended = once(proxy, 'exit');
    onTestFinished(async () => {
      proxy.kill('SIGTERM');
      await ended;
      await second.stop();
      await first.close();
    });
    const body = new URLSearchParams(payment('DB')).toString();
    const pay = () => post(port, token, body);
    await vi.waitUntil(
      () =>
        pay().then(
          ({ status }) => status === 200,
          () => false,
        ),
      { timeout: 10_000 },
    );
    const answers: number[] = [];
    let isOver = false;
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) answers.push((await pay()).status);
    });
    await vi.waitUntil(() => answers.length > 20, { timeout: 20_000 });
    expect(await first.stop()).toBe(143);
    const after = answers.length;
    await vi.waitUntil(() => answers.length > after + 20, { timeout: 20_000 });
    isOver = true;
    await Promise.all(clients);
    expect(new Set(answers)).toEqual(new Set([200]));
  },
);

function post(port: number, token: string, body: string): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: 'localhost',
      family: 4,
      port,
      method: 'POST',
      path: '/v1/payments',
      ca: usualCertificate().cert,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': body.length,
      },
    });
    sent.on('response', (response) => {
      response.resume().on('end', () => resolve({ status: response.statusCode ?? 0 }));
    });
    sent.on('error', reject).end(body);
  });
}

describe.runIf(nginx.isMet)('behind nginx', nginx.orSkipped, () => {
  let gateway: Served;
  let token: string;

  beforeAll(async () => {
    gateway = await serve(settings.replace('9090', '0'));
    token = await gateway.token();
  });
  afterAll(() => gateway.close());

  /** @returns the port of a proxy with this site */
  async function startProxy(text: string): Promise<number> {
    const folder = folderForThisTest();
    const { key, cert } = usualCertificate();
    const file = (name: string, content: string) => {
      writeFileSync(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const port = await freePort();
    const placed = text
      .replace('127.0.0.1:8080', new URL(gateway.url).host)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('/etc/ssl/pay.example.com.pem', file('cert.pem', cert))
      .replace('/etc/ssl/private/pay.example.com.key', file('key.pem', key));
    const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const places = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
    const own = `daemon off; pid ${folder}/pid; error_log ${folder}/errors; worker_processes 1;`;
    const configured = file('nginx.conf', `${own} events {} http { access_log off; ${places}\n${placed}}`);
    const proxy = spawn('/usr/sbin/nginx', ['-e', `${folder}/errors`, '-c', configured], { stdio: 'ignore' });
    const ended = once(proxy, 'exit');
    onTestFinished(async () => {
      proxy.kill('SIGTERM');
      await ended;
    });
    const isUp = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
        socket.once('close', () => resolve(false)).end();
      });
    await vi.waitUntil(isUp, { timeout: 10_000, interval: 50 });
    return port;
  }

  interface Answered {
    readonly status: number;
    readonly text: string;
  }

  function send(port: number, method: string, target: string, body = ''): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length };
      const sent = request({
        ...{ host: 'localhost', family: 4, port, method, path: target, ca: usualCertificate().cert },
        // Not the address of the proxy.
        localAddress: '127.0.0.2',
        headers: { authorization: `Bearer ${token}`, ...(body === '' ? {} : type) },
      });
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('error', reject).end(body);
    });
  }

  const pay = new URLSearchParams(payment('DB')).toString();

  test('payments are made, and the access log has the address of the client', async () => {
    const port = await startProxy(site);
    for (let made = 0; made < 3; made += 1) {
      const answer = await send(port, 'POST', '/v1/payments', pay);
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.text).toContain('000.100.110');
    }
    await vi.waitUntil(() => gateway.stderr().includes('"address":"127.0.0.2"'));
    expect((await send(port, 'POST', '/v1/payments', 'x'.repeat(2_000_000))).status).toBe(413);
    expect((await send(port, 'GET', '/metrics')).status).toBe(404);
  });

  test('below a prefix, the form of a checkout is where its script looks for it', async () => {
    const below = site.replace('location /', 'location /pay/').replace('http://recon;', 'http://recon/;');
    const port = await startProxy(below);
    const checkout = await send(port, 'POST', '/pay/v1/checkouts', 'paymentType=DB&amount=1.00&currency=EUR');
    const { id } = JSON.parse(checkout.text) as { id: string };
    expect((await send(port, 'GET', `/pay/v1/paymentWidgets.js?checkoutId=${id}`)).status).toBe(200);
    expect((await send(port, 'GET', '/pay/v1/paymentWidgets/form')).text).toContain('card-form.js');
    const paid = await send(port, 'POST', `/pay/v1/checkouts/${id}/payment`, pay.replace('92.00', '1.00'));
    expect(paid.text).toContain('000.100.110');
    expect((await send(port, 'GET', `/pay/v1/checkouts/${id}/payment`)).text).toContain('"amount":"1.00"');
  });
});
