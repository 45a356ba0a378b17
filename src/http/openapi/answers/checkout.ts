import type { CheckoutResponse, ErrorResponse, Redirect } from '../../../payment-core/index.js';
import { anyOf, component, object, sometimes, text } from '../described.js';
import type { Answers } from './answers.js';
import { error, ofEveryAnswer, resultCode, stamp } from './error.js';
import { payment, redirect } from './payment.js';
import { registration } from './registration.js';

const checkoutId = text('The id of the checkout.', {
  pattern: '^[A-Za-z0-9.-]{32,48}$',
  examples: ['37E1EA4CF0B1B0E8B4D2C5F7A9E3D1C2-test'],
});

/** The payment of a checkout is answered instead of the checkout. */
const checkout = component(
  'Checkout',
  object<Omit<CheckoutResponse, 'payment' | 'retryAfterSeconds'>>('A payment that waits for its shopper.', {
    id: checkoutId,
    integrity: sometimes(
      text('The value of the attribute integrity of the script (integrity=true).', {
        pattern: '^sha384-[A-Za-z0-9+/]{64}$',
      }),
    ),
    ...ofEveryAnswer,
  }),
);

/** The answer to the shopper's form, which has no token. */
export interface ShopperAnswer extends Pick<ErrorResponse, 'id' | 'buildNumber' | 'timestamp' | 'ndc'> {
  readonly result: Pick<ErrorResponse['result'], 'code' | 'description'>;
  readonly resourcePath: string;
  readonly redirect?: Redirect;
}

const shopperAnswer = component(
  'ShopperAnswer',
  object<ShopperAnswer>('What the form of a shopper may know: the result, and where to go next.', {
    id: checkoutId,
    result: component(
      'ShopperResult',
      object<ShopperAnswer['result']>('What became of the payment.', resultCode),
    ),
    resourcePath: text('The path at which the merchant reads the payment, with a token.', {
      examples: ['/v1/checkouts/37E1EA4CF0B1B0E8B4D2C5F7A9E3D1C2-test/payment'],
    }),
    redirect: sometimes(redirect),
    ...stamp,
  }),
);

/** Of the requests that make a checkout or change it (operations 4). It is not paid yet, so no payment is answered. */
export const checkoutAnswers: Answers = { 200: checkout };
/** A checkout without a payment is answered itself, with 000.200.000. */
export const checkoutStatusAnswers: Answers = { 200: anyOf(payment, checkout) };
/**
 * The registration that the payment made (createRegistration=true). Until the checkout is paid, the checkout itself,
 * with 000.200.000; 404 if the payment made none.
 */
export const checkoutRegistrationAnswers: Answers = { 200: anyOf(registration, checkout) };
/** With a token the payment, without one what the shopper may know. */
export const checkoutPaymentAnswers: Answers = {
  200: anyOf(payment, shopperAnswer),
  400: anyOf(payment, shopperAnswer),
};

/** The script of a checkout. A page with `integrity` needs the header. */
export const scriptAnswers: Answers = {
  200: text('The script.'),
  404: error,
  type: 'text/javascript',
  headers: { 'Access-Control-Allow-Origin': 'The pages of every host may load it.' },
};
