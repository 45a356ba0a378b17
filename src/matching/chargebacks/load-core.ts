import type * as PaymentCore from '../../payment-core/index.js';

/**
 * The payment core, in which chargebacks are booked. Only runs with chargebacks need it, and loading it takes a tenth
 * of the time in which a run starts.
 */
export function loadCore(): Promise<typeof PaymentCore> {
  return import('../../payment-core/index.js');
}

/** Loads it while the server links reversals and this process has nothing to do. */
export function beginLoadingCore(): void {
  // Whoever calls `loadCore` gets the same failure.
  loadCore().catch(() => undefined);
}
