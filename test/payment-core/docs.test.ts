import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { amountTriggers, operations, type PaymentCore } from '../../src/payment-core/index.js';
import * as examples from './docs-examples.js';
import { createTestCore, type TestCore } from './support/test-core.js';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/payment-core.md'), 'utf8');
const source = readFileSync(path.resolve(import.meta.dirname, 'docs-examples.ts'), 'utf8');

/** Removes the indentation of the region. */
function dedent(text: string): string {
  const lines = text.replace(/\s+$/, '').split('\n');
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join('\n');
}

const regions = new Map(
  [...source.matchAll(/\/\/ #region (\S+)\n([\s\S]*?)\n\s*\/\/ #endregion/g)].map(
    ([, name = '', text = '']) => [name, dedent(text)] as const,
  ),
);
const shown = [...page.matchAll(/```ts\n([\s\S]*?)\n```/g)].map(([, text = '']) => text);

describe('the page', () => {
  test('shows all examples word for word', () => {
    const examplesOfPage = shown.filter((text) => !text.startsWith('import '));
    expect(examplesOfPage).toEqual([...regions.values()]);
  });

  test('lists every operation and every amount of the simulator', () => {
    const missing = [...operations, ...amountTriggers.keys(), ...amountTriggers.values()].filter(
      (word) => !page.includes(`\`${word}\``),
    );
    expect(missing).toEqual([]);
  });
});

describe('the examples', () => {
  let world: TestCore;
  let core: PaymentCore;
  beforeAll(async () => {
    world = await createTestCore();
    core = await examples.open(world.database.database.sql);
  });
  afterAll(() => world.drop());

  test('run as the page shows', async () => {
    const approved = '000.100.110';
    expect(await examples.pay(core)).toEqual([approved, approved, approved]);
    expect(await examples.refuse(core)).toContainEqual(expect.stringMatching(/^amount: /));
    const [registrationId = '', ...codes] = await examples.oneClick(core);
    expect(codes).toEqual([approved, approved]);
    expect(await examples.wait(core)).toEqual([
      '000.200.000',
      expect.stringMatching(/^https:/),
      '000.000.000',
    ]);
    expect(await examples.checkout(core)).toEqual([approved, 'PA']);
    expect(await examples.subscribe(core, registrationId)).toBe('active');
    expect(await examples.deliver(core)).toContain('REGISTRATION CREATED');
    const external = await world.open({ connectors: { default: examples.acquirer } });
    const paid = await external.payments.create({
      paymentType: 'DB',
      paymentBrand: 'VISA',
      amount: '13.13',
      currency: 'EUR',
      testMode: 'EXTERNAL',
      'card.number': '4200000000000000',
      'card.expiryMonth': '05',
      'card.expiryYear': '2099',
    });
    expect(paid.result.code).toBe('800.100.155');
  });
});
