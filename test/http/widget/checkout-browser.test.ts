import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser, type Frame, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { needs } from '../../support/needs.js';
import { serve, type Served } from '../served.js';

/**
 * A shopper pays in Chromium: the page of a merchant with the policy that docs/http.md recommends, on another host than
 * the gateway. Every request of the browser is looked at: the card goes to the gateway and nowhere else.
 */

const browserNeed = needs.chromium();
/** `RECON_SCREENSHOTS=FOLDER` keeps a picture of each view, to look at. */
const screenshots = process.env['RECON_SCREENSHOTS'];

const number = '4200000000000091';
const securityCode = '8731';

interface Shop {
  readonly url: string;
  /** What the merchant's server got. */
  readonly received: string[];
  /** The attributes of the form; the script of the checkout is added. */
  page: string;
}

/** The merchant's server: a page with the form, and the page to which the shopper returns. */
async function openShop(gateway: string): Promise<Shop> {
  const shop = { url: '', received: [] as string[], page: '' };
  const policy = `default-src 'none'; script-src ${gateway}; frame-src ${gateway}; form-action ${gateway}; base-uri 'none'`;
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      shop.received.push(`${request.method ?? ''} ${request.url ?? ''} ${body}`);
      const isForm = request.url === '/';
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
      response.end(
        `<!doctype html><html lang="en"><title>Shop</title><h1>${isForm ? 'Pay' : 'Thank you'}</h1>${isForm ? shop.page : ''}</html>`,
      );
    });
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // An address of the network, because it listens on a port. Another name than the gateway's is another site.
  shop.url = `http://localhost:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => void server.close());
  return shop;
}

describe.skipIf(!browserNeed.isMet)('the form of a checkout in Chromium', browserNeed.orSkipped, () => {
  let browser: Browser;
  let gateway: Served;

  beforeAll(async () => {
    gateway = await serve();
    // Root in a container has no sandbox; the pages are ours.
    browser = await chromium.launch({
      executablePath: browserNeed.command,
      args: ['--no-sandbox'],
      // A shopper's browser keeps the page for Back; that of a test would not.
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });

  interface Visit {
    readonly page: Page;
    readonly form: Frame;
    readonly shop: Shop;
    readonly checkoutId: string;
    /** Every request, with its body. */
    readonly requests: { readonly url: string; readonly body: string }[];
    /** What the browser complained about, such as something that a policy blocked. */
    readonly complaints: string[];
  }

  async function visit(
    parameters: Readonly<Record<string, string>> = {},
    {
      brands = 'VISA MASTER',
      action = '/done?order=7',
      schemes = 'normal',
      prefers = 'light',
    }: { brands?: string; action?: string; schemes?: string; prefers?: 'light' | 'dark' } = {},
  ): Promise<Visit> {
    const shop = await openShop(gateway.url);
    const { body } = await gateway.call('POST', '/v1/checkouts', {
      amount: '92.00',
      currency: 'EUR',
      paymentType: 'DB',
      integrity: 'true',
      ...parameters,
    });
    const checkoutId = body.id ?? '';
    shop.page = `<meta name="color-scheme" content="${schemes}"><form action="${action}" class="paymentWidgets" data-brands="${brands}"></form>
      <script src="${gateway.url}/v1/paymentWidgets.js?checkoutId=${checkoutId}" integrity="${String(body['integrity'])}" crossorigin="anonymous"></script>`;
    const page = await browser.newPage({ viewport: { width: 480, height: 700 }, colorScheme: prefers });
    onTestFinished(() => page.close());
    const requests: Visit['requests'] = [];
    const complaints: string[] = [];
    // The message of a refused request is no complaint, and a browser asks for the icon of each host.
    page.on('console', (message) => {
      if (!/Failed to load resource|favicon/.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => requests.push({ url: request.url(), body: request.postData() ?? '' }));
    await page.goto(shop.url);
    const handle = await page.waitForSelector('form.paymentWidgets iframe');
    const form = await handle.contentFrame();
    if (form === null) throw new Error('The page has no card form.');
    await form.getByLabel('Card number').waitFor();
    return { page, form, shop, checkoutId, requests, complaints };
  }

  async function fill({ form }: Visit, more: Readonly<Record<string, string>> = {}): Promise<void> {
    const values = {
      'Card number': number,
      'Name on the card': 'Jane Jones',
      'Expiry month': '5',
      'Expiry year': '34',
      'Security code': securityCode,
      ...more,
    };
    for (const [label, value] of Object.entries(values)) await form.getByLabel(label).fill(value);
  }

  const pay = ({ form }: Visit) => form.getByRole('button', { name: 'Pay now' }).click();

  /** The address of the page to which the shopper returned. */
  async function returned({ page }: Visit): Promise<URL> {
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    return new URL(page.url());
  }

  async function picture({ page }: Visit, name: string): Promise<void> {
    if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/${name}.png` });
  }

  /** The card is in the one request that pays, and in no other, in no address, in no log and not at the merchant's. */
  function expectCardOnlyAtGateway({ requests, shop, checkoutId, complaints }: Visit): void {
    const numbers = [number, encodeURIComponent('4200 0000 0000 0091'), '4200+0000+0000+0091'];
    // Four digits are also part of many an id, port or process number.
    const code = new RegExp(`(?<![0-9A-Za-z])${securityCode}(?![0-9A-Za-z])`);
    const hasCard = (text: string) => code.test(text) || numbers.some((each) => text.includes(each));
    const sent = requests.filter(({ url, body }) => hasCard(url) || hasCard(body));
    expect(sent.map(({ url }) => url)).toEqual([`${gateway.url}/v1/checkouts/${checkoutId}/payment`]);
    expect(shop.received.filter(hasCard)).toEqual([]);
    expect(hasCard(gateway.stderr())).toBe(false);
    expect(complaints).toEqual([]);
  }

  test('a shopper pays, and returns to the shop with the id and the path of the result', async () => {
    const visited = await visit();
    await fill(visited);
    await picture(visited, 'card-form');
    await pay(visited);
    const { pathname, searchParams } = await returned(visited);
    const { checkoutId } = visited;
    expect(pathname).toBe('/done');
    expect(Object.fromEntries(searchParams)).toEqual({
      order: '7',
      id: checkoutId,
      resourcePath: `/v1/checkouts/${checkoutId}/payment`,
    });
    const status = await gateway.call('GET', searchParams.get('resourcePath') ?? '');
    expect(status).toMatchObject({
      status: 200,
      body: { result: { code: '000.100.110' }, paymentBrand: 'VISA', card: { last4Digits: '0091' } },
    });
    expectCardOnlyAtGateway(visited);
  });

  test('the script of the page cannot read the card, and its own submit sends nothing', async () => {
    const visited = await visit();
    await fill(visited);
    const { page } = visited;
    // What a script of the merchant, or one that was smuggled in, can see.
    const seen = await page.evaluate(`(() => {
      const frame = document.querySelector('form.paymentWidgets iframe');
      const form = document.querySelector('form.paymentWidgets');
      form.requestSubmit();
      return { document: frame.contentDocument === null, fields: [...new FormData(form)].length, html: document.documentElement.outerHTML };
    })()`);
    expect(seen).toMatchObject({ document: true, fields: 0 });
    expect(JSON.stringify(seen)).not.toContain(number);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('mistakes are announced at their fields, by keyboard alone', async () => {
    const visited = await visit();
    const { form, page } = visited;
    await form.getByLabel('Card type').focus();
    const typed = ['4200000000000092', 'Jane Jones', '13', '2034', securityCode];
    for (const text of typed) {
      await page.keyboard.press('Tab');
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Enter');
    await form.getByRole('alert').filter({ hasText: '2 fields need your attention.' }).waitFor();
    await picture(visited, 'card-form-mistakes');
    const cardNumber = form.getByLabel('Card number');
    expect(await cardNumber.getAttribute('aria-invalid')).toBe('true');
    await form.locator('#number:focus').waitFor();
    const described = (await cardNumber.getAttribute('aria-describedby')) ?? '';
    expect(await form.locator(`#${described}`).textContent()).toBe('Check the card number.');
    expect(visited.requests.filter(({ url }) => url.endsWith('/payment'))).toEqual([]);

    await cardNumber.fill(number);
    await form.getByLabel('Expiry month').fill('05');
    await page.keyboard.press('Enter');
    await returned(visited);
    expectCardOnlyAtGateway(visited);
  });

  test('what the gateway refuses is shown at its field, and a declined payment returns to the shop', async () => {
    // The shop offers a brand that its checkout does not take.
    const visited = await visit({ amount: '9000.51', paymentBrand: 'VISA' });
    await fill(visited);
    await visited.form.getByLabel('Card type').selectOption('MASTER');
    await pay(visited);
    const { form } = visited;
    await form.locator('#brand[aria-invalid=true]:focus').waitFor();
    expect(await form.locator('#brand-problem').textContent()).toContain('was set by the checkout');
    await form.getByLabel('Card type').selectOption('VISA');
    await pay(visited);
    const { searchParams } = await returned(visited);
    expect(await gateway.call('GET', searchParams.get('resourcePath') ?? '')).toMatchObject({
      body: { result: { code: '800.100.155' } },
    });
  });

  test('Back shows an empty form that pays again, even if the browser kept the page', async () => {
    const visited = await visit({ amount: '9000.51', merchantTransactionId: 'order-back-0001' });
    const { page, form, checkoutId } = visited;
    await page.evaluate(`document.title = 'kept'`);
    await fill(visited);
    const place = await form.getByLabel('Card number').boundingBox();
    await pay(visited);
    await returned(visited);
    await gateway.call('POST', `/v1/checkouts/${checkoutId}`, { amount: '92.00', currency: 'EUR' });
    await page.evaluate('history.back()');
    await expect.poll(() => page.title()).toBe('kept');
    // The driver loses sight of a frame that was kept, so this uses mouse and keyboard.
    const { keyboard, mouse } = page;
    await mouse.click((place?.x ?? 0) + 10, (place?.y ?? 0) + 10);
    for (const value of [number, 'Jane Jones', '05', '2034', securityCode]) {
      // Without this, the value would replace what is in the field.
      await keyboard.press('End');
      await keyboard.type(value);
      await keyboard.press('Tab');
    }
    await picture(visited, 'after-back');
    await keyboard.press('Enter');
    await returned(visited);
    const found = await gateway.call('GET', '/v3/query?merchantTransactionId=order-back-0001');
    expect(found.body['records']).toMatchObject([
      {
        amount: '92.00',
        result: { code: '000.100.110' },
        card: { last4Digits: '0091', holder: 'Jane Jones' },
      },
      { amount: '9000.51', result: { code: '800.100.155' } },
    ]);
  });

  test.each([
    ['Approve', '000.100.110'],
    ['Decline', '800.100.152'],
  ])('a shopper who is sent to the bank can %s, and returns', async (button, code) => {
    const visited = await visit({ 'customParameters[SIMULATOR]': 'SIMULATE REDIRECT' });
    await fill(visited);
    await pay(visited);
    const { page, checkoutId } = visited;
    await page.getByRole('heading', { name: 'Simulated bank' }).waitFor();
    expect(page.url()).toBe(`${gateway.url}/v1/simulator/shopper-step`);
    expect(await page.locator('dd').allTextContents()).toContain('92.00 EUR');
    await picture(visited, 'simulated-bank');
    const before = await gateway.call('GET', `/v1/checkouts/${checkoutId}/payment`);
    expect(before.body.result?.code).toBe('000.200.000');
    await page.getByRole('button', { name: button }).click();
    const { pathname, searchParams } = await returned(visited);
    expect({ pathname, id: searchParams.get('id') }).toEqual({ pathname: '/done', id: checkoutId });
    const after = await gateway.call('GET', searchParams.get('resourcePath') ?? '');
    expect(after.body.result?.code).toBe(code);
    expectCardOnlyAtGateway(visited);
  });

  test('is dark where the page around it is dark, and can be read there', async () => {
    const ground = ({ form }: Visit) =>
      form.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await visit({}, { schemes: 'normal', prefers: 'dark' });
    expect(await ground(light)).toBe('rgb(255, 255, 255)');
    const dark = await visit({}, { schemes: 'light dark', prefers: 'dark' });
    await pay(dark);
    await dark.form.getByText('One field needs').or(dark.form.getByText('fields need')).first().waitFor();
    await picture(dark, 'dark-form');
    expect(await ground(dark)).toBe('rgb(18, 18, 18)');
    const contrasts = await dark.form.evaluate<number[]>(`
      const luminance = (color) => {
        const [red, green, blue] = color.match(/[\\d.]+/g)
          .map((part) => Number(part) / 255)
          .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const groundOf = ({ backgroundColor }) =>
        backgroundColor === 'rgba(0, 0, 0, 0)' ? getComputedStyle(document.body).backgroundColor : backgroundColor;
      [...document.querySelectorAll('label, input, button, .problem:not(:empty)')].map((element) => {
        const style = getComputedStyle(element);
        const [lower, higher] = [style.color, groundOf(style)].map(luminance).sort((a, b) => a - b);
        return (higher + 0.05) / (lower + 0.05);
      });
    `);
    expect(contrasts.length).toBeGreaterThan(10);
    // What the guidelines for accessibility ask of text.
    expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5);
  });

  test('an expired checkout, a lost connection and a paid checkout are explained', async () => {
    const visited = await visit();
    const { form, page } = visited;
    await fill(visited);
    await page.route('**/payment', (route) => route.abort());
    await pay(visited);
    const alert = form.getByRole('alert');
    await alert.filter({ hasText: 'The connection failed.' }).waitFor();
    await page.unroute('**/payment');
    const { sql } = gateway.database.database;
    await sql`update checkouts set expires_at = now() where id = ${visited.checkoutId}`;
    await pay(visited);
    await alert.filter({ hasText: 'This payment has expired.' }).waitFor();
    await sql`update checkouts set expires_at = now() + interval '1 hour' where id = ${visited.checkoutId}`;
    const elsewhere = await gateway.call('POST', `/v1/checkouts/${visited.checkoutId}/payment`, {
      paymentBrand: 'VISA',
      'card.number': number,
      'card.holder': 'Jane Jones',
      'card.expiryMonth': '05',
      'card.expiryYear': '2034',
      'card.cvv': '123',
    });
    expect(elsewhere.status).toBe(200);
    // In another tab, for example.
    await pay(visited);
    expect((await returned(visited)).searchParams.get('id')).toBe(visited.checkoutId);
  });
});
