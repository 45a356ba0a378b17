import { expect, test } from 'vitest';
import { maskAnswer } from '../../../src/payment-core/payments/mask-answer.js';
import { cutterOf } from '../../../src/payment-core/secrets/own-numbers.js';
import { codeRemoverOf } from '../../../src/payment-core/secrets/security-codes.js';
import { splitSecrets } from '../../../src/payment-core/secrets/split-secrets.js';

const looksLikeCard = '4200000000000000';

test('texts of a connector are truncated, its references are not', () => {
  expect(
    maskAnswer({
      resultCode: '000.000.000',
      description: `approved ${looksLikeCard}`,
      initialTransactionId: looksLikeCard,
      connectorTxIds: [looksLikeCard],
      resultDetails: { AcquirerResponse: looksLikeCard },
    }),
  ).toEqual({
    resultCode: '000.000.000',
    description: 'approved 420000******0000',
    initialTransactionId: looksLikeCard,
    connectorTxIds: [looksLikeCard],
    resultDetails: { AcquirerResponse: '420000******0000' },
  });
});

test('a reference that holds the account number of the request is truncated too', () => {
  const cut = cutterOf({ 'card.number': '4200000000000000' });
  const answer = (reference: string) => ({
    resultCode: '000.000.000',
    initialTransactionId: reference,
    connectorTxIds: [reference, 'A-1'],
  });
  expect(maskAnswer(answer('T4200000000000000'), cut)).toEqual(answer('T420000******0000'));
  expect(maskAnswer(answer('4200000000000018'), cut)).toEqual(answer('4200000000000018'));
});

test('an account number of dots is cut where it stands, and takes no longer than any other', () => {
  const dots = '.'.repeat(15);
  const cut = cutterOf({ 'virtualAccount.accountId': `${dots}x`, 'giftCard.number': 'jane.doe/shop-17' });
  // 40 dots once took 20 seconds, and each further one twice as long: longer than a test may take.
  expect(cut('.'.repeat(44))).toBe('.'.repeat(44));
  expect(cut(`of ${dots}x, or Jane.Doe/s h-o-p 17`)).toBe('of ***...x, or ***op17');
});

test('references of a request are kept as they came, other texts are truncated', () => {
  const { open } = splitSecrets({
    'standingInstruction.initialTransactionId': looksLikeCard,
    transactionLinkId: looksLikeCard,
    descriptor: looksLikeCard,
  });
  expect(open).toEqual({
    'standingInstruction.initialTransactionId': looksLikeCard,
    transactionLinkId: looksLikeCard,
    descriptor: '420000******0000',
  });
});

test('the security code of the request is removed where a connector quotes it, and nothing else is', () => {
  const cryptogram = 'Y2FuYXJ5Q2FuYXJ5Q2FuYXJ5Q2Fu';
  const parameters = {
    'card.number': looksLikeCard,
    'card.cvv': '100',
    'tokenAccount.cryptogram': cryptogram,
  };
  const masked = maskAnswer(
    {
      resultCode: '100.100.700',
      riskScore: '100',
      description: 'code 100, amount 100.00 or 1,100 of 1000',
      resultDetails: {
        echo: '100',
        AcquirerResponse: '00',
        sentence: `cvv=100;card=${looksLikeCard};${cryptogram}`,
        [`card.${looksLikeCard}`]: 'x',
      },
      connectorTxIds: ['100', 'A-100', `t${cryptogram}`],
      initialTransactionId: '100',
      redirect: {
        url: `https://bank.example/?token=${cryptogram}&currency=100`,
        parameters: [{ name: 'currency', value: '100' }],
      },
      card: { type: '100', issuer: { bank: 'Bank 100' } },
    },
    cutterOf(parameters),
    codeRemoverOf(parameters),
  );
  expect(masked).toEqual({
    resultCode: '100.100.700',
    riskScore: '100',
    description: 'code ***, amount 100.00 or 1,100 of 1000',
    resultDetails: { echo: '***', AcquirerResponse: '00', sentence: 'cvv=***;card=420000******0000;***' },
    connectorTxIds: ['A-100', 't***'],
    redirect: {
      url: 'https://bank.example/?token=***&currency=100',
      parameters: [{ name: 'currency', value: '100' }],
    },
    card: { type: '***', issuer: { bank: 'Bank ***' } },
  });
});
