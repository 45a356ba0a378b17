/**
 * The one door of the payment core (design 7): everything a program that embeds it, and the reconciliation
 * side, may use. What is not exported here is nobody else's business.
 */
export { bookChargebacks } from './stored-payments/book-chargebacks.js';
export { importPayments } from './stored-payments/import-payments.js';
