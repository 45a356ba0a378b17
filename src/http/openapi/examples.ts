/** A card of the test environment; it passes every check and belongs to nobody. */
const card = {
  paymentBrand: 'VISA',
  'card.number': '4200000000000000',
  'card.holder': 'Jane Jones',
  'card.expiryMonth': '05',
  'card.expiryYear': '2034',
};

const amount = { amount: '92.00', currency: 'EUR' };

/** Requests that work as they are, by method and path. */
export const examples: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'POST /v1/payments': { ...amount, paymentType: 'PA', ...card, 'card.cvv': '123' },
  'POST /v1/payments/:id': { ...amount, paymentType: 'CP' },
  'POST /v1/checkouts': { ...amount, paymentType: 'DB', integrity: 'true' },
  'POST /v1/registrations': card,
};
