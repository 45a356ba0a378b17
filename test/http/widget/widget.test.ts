import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { payment, serve, type Served } from '../served.js';

/** The script of a checkout, the card form and the simulated bank, as the browser of a shopper gets them. */

let gateway: Served;

beforeAll(async () => {
  gateway = await serve();
});
afterAll(() => gateway.close());

/** A request of a browser: without a token. */
const open = (target: string, method = 'GET', form?: Record<string, string>) =>
  gateway.call(method, target, form, { token: null });

const redirect = {
  shopperResultUrl: 'https://shop.example/done?order=7',
  'customParameters[SIMULATOR]': 'SIMULATE REDIRECT',
};

interface Redirect {
  readonly url: string;
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
}

/** A payment that waits for its shopper, and the query with which the shopper reaches the bank. */
async function redirected(): Promise<{ id: string; url: string; sent: Record<string, string> }> {
  const { body } = await gateway.call('POST', '/v1/payments', payment('DB', redirect));
  expect(body.result?.code).toBe('000.200.000');
  const { url, parameters } = body['redirect'] as Redirect;
  const sent = Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
  return { id: body.id ?? '', url, sent };
}

test('the script has the hash of its checkout, and a policy forbids the pages everything else', async () => {
  const { body } = await gateway.call('POST', '/v1/checkouts', {
    amount: '92.00',
    currency: 'EUR',
    paymentType: 'DB',
    integrity: 'true',
  });
  const script = await open(`/v1/paymentWidgets.js?checkoutId=${body.id ?? ''}`);
  const hash = createHash('sha384').update(script.text).digest('base64');
  expect(body['integrity']).toBe(`sha384-${hash}`);
  expect(script.text).toContain(`const checkoutId = '${body.id ?? ''}'`);
  expect(script.headers.get('access-control-allow-origin')).toBe('*');

  const page = await open('/v1/paymentWidgets/form');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; base-uri 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors *",
  );
  // Nothing inline, which the policy would block.
  expect(page.text).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/);
  for (const [name, type] of [
    ['card-form.js', 'text/javascript'],
    ['card-form.css', 'text/css'],
  ]) {
    expect(page.text).toContain(`"${name ?? ''}"`);
    const asset = await open(`/v1/paymentWidgets/${name ?? ''}`);
    expect(asset.headers.get('content-type')).toBe(`${type ?? ''}; charset=utf-8`);
  }
  expect((await open('/v1/paymentWidgets/form?checkoutId=1')).status).toBe(400);
  expect((await open('/v1/paymentWidgets/form', 'POST', {})).status).toBe(405);
});

test('a payment that is no checkout returns with its own path, and the first decision counts', async () => {
  const { id, url, sent } = await redirected();
  expect(url).toBe(`${gateway.url}/v1/simulator/shopper-step`);
  const path = new URL(url).pathname;
  const page = await open(`${path}?${new URLSearchParams(sent).toString()}`);
  expect(page.text).toContain('92.00 EUR');
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://shop.example;");
  expect((await open(path, 'POST', sent)).text).toBe(page.text);

  const decision = `${path}/decision`;
  expect((await open(decision, 'POST', { ...sent, outcome: 'steal' })).status).toBe(404);
  expect((await open(decision, 'POST', { ...sent, token: '0'.repeat(32), outcome: 'approve' })).status).toBe(
    404,
  );
  expect(
    (await open(decision, 'POST', { ...sent, paymentId: '0'.repeat(32), outcome: 'approve' })).status,
  ).toBe(404);
  expect((await gateway.call('GET', `/v1/payments/${id}`)).body.result?.code).toBe('000.200.000');
  for (const outcome of ['approve', 'decline']) {
    const decided = await open(decision, 'POST', { ...sent, outcome });
    expect(decided.status).toBe(303);
    expect(decided.headers.get('location')).toBe(
      `https://shop.example/done?order=7&id=${id}&resourcePath=${encodeURIComponent(`/v1/payments/${id}`)}`,
    );
    expect((await gateway.call('GET', `/v1/payments/${id}`)).body.result?.code).toBe('000.100.110');
  }
  expect((await open(path, 'POST', sent)).text).toContain('already been decided');
});

test('the address of the simulated bank is the one that browsers reach, and live has none', async () => {
  const behindProxy = await serve("http: { publicUrl: 'https://pay.example.com/gateway/' }");
  onTestFinished(() => behindProxy.close());
  const { body } = await behindProxy.call('POST', '/v1/payments', payment('DB', redirect));
  expect((body['redirect'] as Redirect).url).toBe(
    'https://pay.example.com/gateway/v1/simulator/shopper-step',
  );

  const { sent } = await redirected();
  const key = 'ab'.repeat(32);
  const live = await serve('http: { environment: live }', {
    RECON_ENCRYPTION_KEYS: JSON.stringify({ current: 'first', keys: { first: key }, lookup: key }),
  });
  onTestFinished(() => live.close());
  const target = `/v1/simulator/shopper-step?${new URLSearchParams(sent).toString()}`;
  expect((await live.call('GET', target, undefined, { token: null })).status).toBe(404);
});
