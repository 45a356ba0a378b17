import { expect, test } from 'vitest';
import { maskAnswer } from '../../src/payment-core/payments/mask-answer.js';
import { cutterOf } from '../../src/payment-core/secrets/own-numbers.js';
import { splitSecrets } from '../../src/payment-core/secrets/split-secrets.js';

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
