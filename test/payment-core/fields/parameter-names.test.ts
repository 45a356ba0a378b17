import { expectTypeOf, test } from 'vitest';
import type { FieldName } from '../../../src/payment-core/fields/catalogue/catalogue.js';
import type {
  ParameterName,
  Parameters,
  StaticParameterName,
} from '../../../src/payment-core/fields/parameter-names.js';

test('the types of names come from the declarations', () => {
  expectTypeOf<'card.number'>().toExtend<StaticParameterName>();
  expectTypeOf<'shipping.customer.givenName'>().toExtend<StaticParameterName>();
  expectTypeOf<'merchant.billing.companyName'>().toExtend<StaticParameterName>();
  expectTypeOf<'shipping.customer.app.deviceId'>().not.toExtend<ParameterName>();
  expectTypeOf<'card.cvc'>().not.toExtend<ParameterName>();
  expectTypeOf<'cart.items[n].name'>().toExtend<FieldName>();
  expectTypeOf<'cart.items[7].name'>().toExtend<ParameterName>();
  expectTypeOf<'cart.items[n].name'>().not.toExtend<ParameterName>();
  expectTypeOf<'airline.passengers[0].legs[2].taxAmount'>().toExtend<ParameterName>();
  expectTypeOf<'cart.items[7].name'>().not.toExtend<StaticParameterName>();
  expectTypeOf<'customParameters[SHOPPER_note]'>().toExtend<ParameterName>();
  expectTypeOf<'threeDSecure.v2.schemeB.requestorId'>().toExtend<ParameterName>();
  expectTypeOf<'threeDSecure.v2.schemeX.requestorId'>().not.toExtend<ParameterName>();
});

test('a request written in a program is checked by the compiler', () => {
  const request: Parameters = { amount: '1.00', 'cart.items[0].name': 'a', 'customParameters[note]': 'b' };
  expectTypeOf(request).toExtend<Readonly<Record<string, unknown>>>();
  // @ts-expect-error a misspelt name
  const misspelt: Parameters = { amonut: '1.00' };
  expectTypeOf(misspelt).toEqualTypeOf<Parameters>();
});
