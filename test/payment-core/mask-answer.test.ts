import { expect, test } from 'vitest';
import { maskAnswer } from '../../src/payment-core/payments/mask-answer.js';
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
