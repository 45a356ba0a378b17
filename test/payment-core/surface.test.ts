import { describe, expect, expectTypeOf, test } from 'vitest';
import * as source from '../../src/payment-core/index.js';
import type {
  Caller,
  Completion,
  ErrorResponse,
  JobResponse,
  Parameters,
  PaymentCore,
  PaymentCoreOptions,
  PaymentResponse,
  Refusal,
  RegistrationResponse,
} from '../../src/payment-core/index.js';

/** The names that programs which embed the core may use. Adding or removing a name must be a decision. */
const exported = [
  'CallerPermission',
  'amendChargebacks',
  'amountTriggers',
  'bookChargebacks',
  'classifyResultCode',
  'createPaymentCore',
  'decryptNotification',
  'describeParameters',
  'dispositionOf',
  'encryptNotification',
  'exportPayments',
  'findPayment',
  'httpStatusOf',
  'importPayments',
  'operations',
  'readParameterList',
  'refusedName',
  'requestKinds',
  'resultCodes',
  'validateParameters',
];

describe('the public surface', () => {
  test('is exactly this list', () => {
    expect(Object.keys(source).sort()).toEqual(exported);
  });

  test('is reached by the name of the package', async () => {
    // A name that the compiler does not follow: types come from src, and there may be no build yet.
    const name = 'recon/payment-core';
    const built = (await import(name)) as object;
    expect(Object.keys(built).sort()).toEqual(exported);
  });

  test('has every group of operations', () => {
    expectTypeOf<keyof PaymentCore>().toEqualTypeOf<
      | 'payments'
      | 'registrations'
      | 'checkouts'
      | 'chargebacks'
      | 'migrations'
      | 'query'
      | 'reporting'
      | 'jobs'
      | 'events'
      | 'secrets'
      | 'simulator'
      | 'storedPayments'
      | 'refuse'
      | 'close'
    >();
  });

  test('has the types that it is documented with', () => {
    expectTypeOf(source.createPaymentCore).parameters.toEqualTypeOf<[PaymentCoreOptions]>();
    expectTypeOf(source.createPaymentCore).returns.resolves.toEqualTypeOf<PaymentCore>();
    expectTypeOf<PaymentCore['payments']['create']>().toEqualTypeOf<
      (parameters: Parameters, caller?: Caller) => Promise<PaymentResponse>
    >();
    expectTypeOf<PaymentCore['payments']['reference']>().toEqualTypeOf<
      (id: string, parameters: Parameters, caller?: Caller) => Promise<PaymentResponse>
    >();
    expectTypeOf<PaymentCore['payments']['complete']>().toEqualTypeOf<
      (id: string, completion: Completion, caller?: Caller) => Promise<PaymentResponse>
    >();
    expectTypeOf<PaymentCore['registrations']['create']>().returns.resolves.toEqualTypeOf<
      RegistrationResponse | Refusal<RegistrationResponse>
    >();
    expectTypeOf<{ amount: string; 'cart.items[0].name': string }>().toExtend<Parameters>();
    // Input from outside can have any names; the operation reports those that it does not know.
    expectTypeOf<Readonly<Record<string, string>>>().toExtend<Parameters>();
    const misspelt = { paymentType: 'PA', amout: '92.00' } as const;
    // @ts-expect-error a literal with a name that is no parameter does not compile
    const parameters: Parameters = { paymentType: 'PA', amout: '92.00' };
    expect(parameters).toEqual(misspelt);
    expectTypeOf<PaymentResponse>().toExtend<ErrorResponse>();
    expectTypeOf<PaymentResponse['amount']>().toEqualTypeOf<string | undefined>();
    // What a response repeats has the names of the catalogue: lists, groups, and a group for each scheme.
    expectTypeOf<NonNullable<PaymentResponse['cart']>>()
      .toHaveProperty('items')
      .exclude(undefined)
      .items.toHaveProperty('name')
      .toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<PaymentResponse['customer']>>()
      .toHaveProperty('givenName')
      .toEqualTypeOf<string | undefined>();
    expectTypeOf<PaymentResponse['customer']>().exclude(undefined).not.toHaveProperty('givenNam');
    expectTypeOf<NonNullable<PaymentResponse['threeDSecure']>>()
      .toHaveProperty('v2')
      .exclude(undefined)
      .toHaveProperty('schemeA')
      .exclude(undefined)
      .toHaveProperty('requestorId')
      .toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<JobResponse['job']>>()
      .toHaveProperty('second')
      .toEqualTypeOf<string | undefined>();
    // A key is never divided at its dots, so there is nothing within (payments.test.ts sends one with a dot).
    expectTypeOf<PaymentResponse['customParameters']>().toEqualTypeOf<
      Readonly<Record<string, string>> | undefined
    >();
    expectTypeOf<RegistrationResponse['customParameters']>().toEqualTypeOf<
      PaymentResponse['customParameters']
    >();
    expectTypeOf(source.classifyResultCode).parameters.toEqualTypeOf<[string]>();
  });

  test('requires exactly one store', () => {
    expectTypeOf<{
      environment: 'test';
      encryptionKeys: source.EncryptionKeys;
    }>().not.toExtend<PaymentCoreOptions>();
    expectTypeOf<{
      dataDirectory: string;
      environment: 'live';
      encryptionKeys: source.EncryptionKeys;
    }>().toExtend<PaymentCoreOptions>();
  });
});
