import type { ErrorResponse, ParameterError, Result } from '../../../payment-core/index.js';
import {
  choice,
  component,
  listOf,
  object,
  sometimes,
  text,
  withExample,
  type Described,
} from '../described.js';

const parameterError = component(
  'ParameterError',
  object<ParameterError>('A parameter that is invalid or missing.', {
    name: text('The name of the parameter, or of the header.', { examples: ['card.expiryYear'] }),
    value: {
      schema: {
        type: ['string', 'null'],
        description: 'The value that was sent, with secrets hidden or truncated; null if none was sent.',
      },
      components: {},
    },
    message: text('What is wrong, as a sentence that begins with the name.', {
      examples: ['card.expiryYear must be a year of 4 digits, 19xx or 20xx'],
    }),
  }),
);

/** A code and its text; the same two members in every answer. */
export const resultCode = {
  code: text('What happened. GET /v1/resultcodes lists the codes.', {
    pattern: '^[\\d.]{2,11}$',
    examples: ['000.100.110'],
  }),
  description: text('The code in words.'),
};

const result = component(
  'Result',
  object<Result>('What became of the request.', {
    ...resultCode,
    avsResponse: sometimes(
      choice('The check of the address.', {
        A: 'the address matches, the postal code does not',
        Z: 'the postal code matches, the address does not',
        N: 'neither matches',
        U: 'not applicable, or a technical error',
        F: 'both match',
      }),
    ),
    cvvResponse: sometimes(
      choice('The check of the security code.', {
        M: 'it matches',
        N: 'it does not match',
        P: 'not checked',
        S: 'the card should have one, and none was sent',
        U: 'the issuer does not support it',
      }),
    ),
    parameterErrors: sometimes(listOf('Every parameter that is invalid or missing.', parameterError)),
  }),
);

/** The members of every answer that say when and by which build it was made. */
export const stamp = {
  buildNumber: text('The build that answered, for questions to the operator.', {
    examples: ['recon-0.1.0@2026-11-21 00:00:00 +0000'],
  }),
  timestamp: text('When the answer was made, in UTC.', {
    pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\+0000$',
    examples: ['2026-11-21 06:30:00+0000'],
  }),
  ndc: text('Identifies the request, or the checkout that a payment belongs to.', {
    pattern: '^[A-Za-z0-9-]{1,69}$',
  }),
};

/** `buildNumber`, `timestamp` and `ndc` of the examples in the document. */
export const exampleStamp = {
  buildNumber: 'recon-0.1.0@2026-11-21 00:00:00 +0000',
  timestamp: '2026-11-21 06:30:00+0000',
  ndc: '8a8294174b7ecb28014b9699220015cc-5f0d2c1b3a4e4f6d8c7b9a0e1d2f3c4b',
};

/** The id of a payment, a registration or a schedule. */
export const idOf = (description: string) =>
  text(description, { pattern: '^[A-Za-z0-9]{32}$', examples: ['8ac7a4a1845f7e1901845f9c2e6b2d1f'] });

/** What every answer of the core has besides its own members: the result, and the stamp (operations 2.5). */
export const ofEveryAnswer = { result, ...stamp };

/** What `retryAfterSeconds` says is sent as the header Retry-After. */
export type Refused = Omit<ErrorResponse, 'retryAfterSeconds'>;

/** The answer to a refused request, and the members that it has besides others. */
export const error: Described<Refused> = component(
  'Error',
  withExample(
    object<Refused>('A request that was refused, or that failed. Nothing was stored.', {
      id: idOf('Identifies the request only. No look-up finds it.'),
      ...ofEveryAnswer,
    }),
    {
      id: '3f2b8c1de4a5967084f1c2d3e4b5a697',
      result: {
        code: '200.300.404',
        description: 'A parameter is missing or invalid',
        parameterErrors: [{ name: 'amount', value: null, message: 'amount is required' }],
      },
      ...exampleStamp,
    },
  ),
);
