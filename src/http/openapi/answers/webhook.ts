import type { Environment, PaymentEvent } from '../../../payment-core/index.js';
import {
  anyOf,
  choice,
  component,
  object,
  text,
  type Described,
  type Json,
  type Schema,
} from '../described.js';
import { payment, type Payment } from './payment.js';
import { registration, type Registration } from './registration.js';

interface Sent<Type extends string, Payload> {
  readonly type: Type;
  readonly action: PaymentEvent['action'];
  readonly payload: Payload;
}

interface Test {
  readonly type: 'test';
  readonly payload: {
    readonly webhook: string;
    readonly environment: Environment;
    readonly timestamp: string;
  };
}

const action = choice<PaymentEvent['action']>('What happened to it.', {
  CREATED: 'it was made',
  UPDATED: 'it changed',
  DELETED: 'it was deleted',
});

const always = <Type extends string>(type: Type): Described<Type> => ({
  schema: { type: 'string', const: type },
  components: {},
});

const notification = component(
  'Notification',
  anyOf(
    component(
      'PaymentNotification',
      object<Sent<'PAYMENT', Payment>>('A payment was made, or changed.', {
        type: always('PAYMENT'),
        action,
        payload: payment,
      }),
    ),
    component(
      'RegistrationNotification',
      object<Sent<'REGISTRATION', Registration>>('A registration was made, or deleted.', {
        type: always('REGISTRATION'),
        action,
        payload: registration,
      }),
    ),
    component(
      'TestNotification',
      object<Test>('Sent by recon webhooks test.', {
        type: always('test'),
        payload: object<Test['payload']>('', {
          webhook: text('The id of the webhook.'),
          environment: choice('The environment of the gateway.', {
            test: 'no money moves',
            live: 'money moves',
          }),
          timestamp: text('When it was sent.'),
        }),
      }),
    ),
  ),
);

const header = (name: string, description: string, more: Json = {}) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', ...more },
});

/** The text of a notification, as it is sent. */
const encrypted: Json = {
  type: 'string',
  description:
    'Hexadecimal digits of the encrypted notification. Decrypted with AES-256-GCM, it is a JSON document of the type Notification.',
  pattern: '^([0-9A-Fa-f]{2})+$',
  contentEncoding: 'base16',
  contentSchema: notification.schema,
};

const wrapped = component('EncryptedNotification', {
  schema: { type: 'object', required: ['encryptedBody'], properties: { encryptedBody: encrypted } },
  components: notification.components,
});

/** What a webhook receives (operations 6), as OpenAPI describes it. */
export const webhooks: Schema = {
  schema: {
    notification: {
      post: {
        operationId: 'receiveNotification',
        tags: ['Webhooks'],
        summary: 'Receive what happened to payments and registrations',
        description:
          'Sent to the URL of each webhook that recon webhooks add made. Answer with 2xx within 30 seconds; anything else is sent again.',
        security: [],
        parameters: [
          header('X-Initialization-Vector', 'The initialization vector, 12 bytes.', {
            pattern: '^[0-9A-Fa-f]{24}$',
          }),
          header('X-Authentication-Tag', 'The authentication tag, 16 bytes.', {
            pattern: '^[0-9A-Fa-f]{32}$',
          }),
          header('webhook-id', 'Identifies the notification; the same in every attempt.'),
          header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.', {
            pattern: '^\\d+$',
          }),
          header('webhook-signature', 'The signature of standard-webhooks over the body as it is sent.'),
        ],
        requestBody: {
          required: true,
          content: {
            'text/plain': { schema: encrypted },
            'application/json': { schema: wrapped.schema },
          },
        },
        responses: {
          '2XX': { description: 'Received.' },
          '410': { description: 'No further notification is wanted; the webhook is disabled.' },
          default: { description: 'Not received. The notification is sent again later.' },
        },
      },
    },
  },
  components: wrapped.components,
};
