/**
 * Stored instead of a connector's name with what the back office books (chargebacks and their reversals), since no
 * connector takes part. The reconciliation recognises such bookings by it.
 */
export const backOfficeConnector = 'BACK_OFFICE';
