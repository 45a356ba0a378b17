import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { card, entity, otherEntity, payment, serve, type Served } from './served.js';

/** The form of a shopper has no token. It acts for the entity of its checkout, and for no other. */
let gateway: Served;
let other: string;

beforeAll(async () => {
  gateway = await serve('http: { limits: { checkouts.pay: { requests: 5, windowSeconds: 86400 } } }');
  other = await gateway.token('--entity', otherEntity);
});
afterAll(() => gateway.close());

const checkout = async (paymentType: string, token?: string) => {
  const form = { paymentType, amount: '5.00', currency: 'EUR' };
  const made = await gateway.call('POST', '/v1/checkouts', form, token === undefined ? {} : { token });
  return made.body.id ?? '';
};

const payByForm = async (id: string, form: Readonly<Record<string, string>>) => {
  const { status, body } = await gateway.call('POST', `/v1/checkouts/${id}/payment`, form, { token: null });
  return { status, code: body.result?.code };
};

describe('a form without a token', () => {
  test('does not pay with the registration of another entity', async () => {
    const foreign = await gateway.call('POST', '/v1/registrations', card, { token: other });
    const id = await checkout('DB');
    const unknown = await payByForm(id, { registrationId: '0'.repeat(32) });
    expect(unknown.status).toBe(404);
    expect(await payByForm(id, { registrationId: foreign.body.id ?? '' })).toEqual(unknown);
  });

  test('does not add to an authorisation of another entity', async () => {
    const foreign = await gateway.call('POST', '/v1/payments', payment('PA'), { token: other });
    const id = await checkout('PA');
    const { 'card.cvv': _cvv, ...withoutCode } = card;
    const addTo = (referenceUuid: string) =>
      payByForm(id, {
        ...withoutCode,
        referenceUuid,
        'standingInstruction.industryPractice': 'INCREMENTAL_AUTH',
        'standingInstruction.mode': 'REPEATED',
        'standingInstruction.source': 'MIT',
        'standingInstruction.type': 'UNSCHEDULED',
      });
    const unknown = await addTo('0'.repeat(32));
    expect(unknown.status).not.toBe(200);
    expect(await addTo(foreign.body.id ?? '')).toEqual(unknown);
  });

  test('counts for the limit of the entity of its checkout', async () => {
    const id = await checkout('DB');
    const codes = [];
    for (let times = 0; times < 6; times += 1) codes.push((await payByForm(id, {})).code);
    expect(codes).toContain('800.120.100');
    expect(await payByForm(await checkout('DB', other), card)).toEqual({ status: 200, code: '000.100.110' });
    expect(
      await gateway.call('POST', `/v1/checkouts/${id}/payment`, { ...card, entityId: entity }),
    ).toMatchObject({ status: 429 });
  });
});
