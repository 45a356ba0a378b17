import { describe, expect, test } from 'vitest';
import { readDatabaseUrl } from '../../src/db/connection/connection-address.js';
import { decryptNotification, encryptNotification } from '../../src/payment-core/index.js';
import { signedHeaders } from '../../src/values/standard-webhooks.js';
import { notificationRequest } from '../../src/webhooks/notification-request.js';
import { poolAddress } from '../../src/webhooks/queue-pool.js';
import { isPublicAddress } from '../../src/webhooks/public-address.js';
import { giveUpAfterMs, readRetryAfter, waitAfterFailure } from '../../src/webhooks/retry-delays.js';
import { newSecret, openSecret, sealSecret, signingSecretOf } from '../../src/webhooks/secrets.js';
import { allowedHosts, urlProblem } from '../../src/webhooks/webhook-url.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const counting = '000102030405060708090a0b0c0d0e0f';
const key = counting + counting;

describe('the request of a notification', () => {
  test('has the published known answer of AES-256-GCM', () => {
    const { body, headers } = encryptNotification({ type: 'PAYMENT' }, key, () => Buffer.alloc(12));
    expect(body.toUpperCase()).toBe('0A3471C72D9BE49A8520F79C66BBD9A12FF9');
    expect(headers['X-Authentication-Tag'].toUpperCase()).toBe('CE573FB7A41AB78E743180DC83FF09BD');
    expect(headers['X-Initialization-Vector']).toBe('0'.repeat(24));
  });

  test('has the published signature of standard-webhooks', () => {
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    const headers = signedHeaders(
      secret,
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1614265330_000,
      '{"test": 2432232314}',
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test.each(['none', 'json'] as const)('with the wrapper %s is signed as it is sent', (wrapper) => {
    const sending = { secret: key, wrapper, messageId: 'msg_1', now: 1_614_265_330_999 };
    const { body, headers } = notificationRequest({ type: 'PAYMENT' }, sending);
    const text = wrapper === 'json' ? (JSON.parse(body) as { encryptedBody: string }).encryptedBody : body;
    const encrypted = {
      body: text,
      headers: {
        'X-Initialization-Vector': headers['X-Initialization-Vector'] ?? '',
        'X-Authentication-Tag': headers['X-Authentication-Tag'] ?? '',
      },
    };
    expect(decryptNotification(encrypted, key)).toEqual({ type: 'PAYMENT' });
    expect(headers).toMatchObject({ 'webhook-id': 'msg_1', 'webhook-timestamp': '1614265330' });
    expect(headers).toMatchObject(signedHeaders(Buffer.from(key, 'hex'), 'msg_1', 1_614_265_330_000, body));
  });

  test('F128 is refused with any bit of it flipped', () => {
    const { body, headers } = encryptNotification({ type: 'PAYMENT', payload: { id: '1' } }, key);
    const parts = [body, headers['X-Initialization-Vector'], headers['X-Authentication-Tag']];
    const accepted = parts.flatMap((part, place) =>
      Array.from({ length: part.length * 4 }, (_, bit) => {
        const bytes = Buffer.from(part, 'hex');
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const [text = '', vector = '', tag = ''] = parts.map((one, at) =>
          at === place ? bytes.toString('hex') : one,
        );
        const altered = { 'X-Initialization-Vector': vector, 'X-Authentication-Tag': tag };
        return decryptNotification({ body: text, headers: altered }, key);
      }).filter((read) => read !== undefined),
    );
    expect(accepted).toEqual([]);
  });
});

describe('the key of a webhook', () => {
  const random = (bytes: number) => Buffer.alloc(bytes, 7);
  const keys = {
    current: 'new',
    keys: { old: '11'.repeat(32), new: '22'.repeat(32) },
    lookup: '33'.repeat(32),
  };

  test('is opened with the key that sealed it, for its webhook only', () => {
    const secret = newSecret(random);
    expect(signingSecretOf(secret)).toBe(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
    const sealed = sealSecret({ ...keys, current: 'old' }, 'a', secret, random);
    expect(sealed.sealed).not.toContain(secret);
    expect(openSecret(keys, 'a', sealed)).toBe(secret);
    expect(() => openSecret(keys, 'b', sealed)).toThrow('cannot be opened with the encryption key old');
    expect(() => openSecret({ ...keys, keys: { new: keys.keys.new } }, 'a', sealed)).toThrow(
      'have no key old',
    );
  });
});

describe('the pauses between retries', () => {
  test.each([
    [1, 1],
    [2, 2],
    [3, 4],
    [4, 8],
    [5, 15],
    [6, 30],
    [7, 60],
    [8, 24 * 60],
    [37, 24 * 60],
    [1000, 24 * 60],
  ])('after failure %i waits %i minutes', (failures, minutes) => {
    expect(waitAfterFailure(failures, null)).toBe(minutes * minuteMs);
  });

  test('ends after two hours and thirty days', () => {
    expect(giveUpAfterMs).toBe(2 * 60 * minuteMs + 30 * dayMs);
  });

  test.each([
    ['120', 120_000],
    ['0', 1000],
    ['999999999', dayMs],
    ['Fri, 20 Nov 2026 12:05:00 GMT', 5 * minuteMs],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 1000],
    ['soon', minuteMs],
    ['-5', minuteMs],
    ['1e3', minuteMs],
    ['2026', 2_026_000],
    ['Fri, 99 Nov 2026 11:00:00 GMT', minuteMs],
    [undefined, minuteMs],
  ])('with Retry-After %s waits %i ms', (header, waitMs) => {
    const noon = Date.UTC(2026, 10, 20, 12);
    expect(waitAfterFailure(1, readRetryAfter(header, noon))).toBe(waitMs);
  });
});

describe('F132 where notifications may go', () => {
  test.each([
    ['8.8.8.8', true],
    ['172.15.255.255', true],
    ['172.32.0.1', true],
    ['100.63.255.255', true],
    ['::ffff:8.8.8.8', true],
    ['2606:4700:4700::1111', true],
    ['0.0.0.0', false],
    ['10.0.0.1', false],
    ['100.64.0.1', false],
    ['127.0.0.1', false],
    ['127.255.255.254', false],
    ['169.254.169.254', false],
    ['172.16.0.1', false],
    ['172.31.255.255', false],
    ['192.168.1.1', false],
    ['198.19.255.255', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:a9fe:a9fe', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['2001:0:7f00:1::', false],
    ['2001:db8::1', false],
    ['fc00::1', false],
    ['fd12:3456::1', false],
    ['fe80::1', false],
    ['ff02::1', false],
    ['localhost', false],
    ['', false],
  ])('the address %s is public: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });

  test.each([
    ['INTERNAL.example', 'http://internal.example/n'],
    ['internal.example.', 'http://internal.example/n'],
    ['internal.example', 'http://internal.example./n'],
    ['b\u00fccher.example', 'http://B\u00dcCHER.example/n'],
    ['b\u00fccher.example', 'http://xn--bcher-kva.example/n'],
    ['xn--bcher-kva.example', 'http://b\u00fccher.example/n'],
    ['[::1]', 'http://[::1]/n'],
    ['::1', 'http://[0:0:0:0:0:0:0:1]/n'],
    ['0:0:0:0:0:0:0:1', 'http://[::1]/n'],
    ['::ffff:10.0.0.9', 'http://[::ffff:a00:9]/n'],
    ['127.0.0.1', 'http://127.1/n'],
    ['127.1', 'http://127.0.0.1./n'],
  ])('webhooks.allowHosts: [%s] allows %s', (name, url) => {
    expect(urlProblem(url, allowedHosts([name]))).toBeNull();
    expect(urlProblem('http://other.example/', allowedHosts([name]))).not.toBeNull();
  });

  test.each([
    ['https://shop.example/n', null],
    ['https://8.8.8.8:8443/n', null],
    ['http://internal.example/n', null],
    ['http://INTERNAL.example/n', null],
    ['https://10.0.0.9/n', null],
    ['http://shop.example/n', 'must begin with https'],
    ['https://0x7f.1/n', 'has the private address 127.0.0.1'],
    ['https://[::ffff:127.0.0.1]/n', 'has the private address'],
    ['https://127.1/n', 'has the private address 127.0.0.1'],
    ['file:///etc/passwd', 'must begin with https'],
  ])('%s is judged by its scheme and host', (url, problem) => {
    const allowed = allowedHosts(['Internal.example', '10.0.0.9']);
    const found = urlProblem(url, allowed);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });
});

describe('the connections of the job queue go where the others go', () => {
  const unchecked = { rejectUnauthorized: false };
  test.each([
    [
      'postgresql://recon@localhost/recon?host=%2Ftmp%2Fdata&port=5433',
      false,
      { host: '/tmp/data', port: 5433, ssl: false },
    ],
    [
      'postgresql://me:p%40ss@db.example:5444/money?sslmode=require',
      true,
      { host: 'db.example', password: 'p@ss', ssl: unchecked },
    ],
    ['postgresql://me@db.example/money?sslmode=disable', false, { port: 5432, ssl: false }],
    ['postgresql://me@db.example/money', true, { database: 'money', ssl: unchecked }],
    ['postgresql://me@db.example/money?sslmode=prefer', false, { user: 'me', ssl: false }],
    ['postgresql://me@[::1]/money', false, { host: '::1' }],
    [
      'postgresql://me@db.example/money?statement_timeout=5s&temp_tablespaces=a b',
      false,
      { options: '-c statement_timeout=5s -c temp_tablespaces=a\\ b' },
    ],
  ])('%s, TLS: %s', (url, usesTls, expected) => {
    expect(poolAddress(readDatabaseUrl(url), usesTls)).toMatchObject(expected);
  });

  test('with sslmode=verify-full the name in the certificate is checked', () => {
    const address = readDatabaseUrl('postgresql://me@db.example/money?sslmode=verify-full');
    expect(poolAddress(address, true).ssl).toBe(address.ssl);
  });
});
