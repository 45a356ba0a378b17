import { wallets } from '../fields/catalogue/wallet-fields.js';
import type { ParameterRequest, SentParameter } from './parameter-request.js';

/** The account numbers and tokens. Each of them is enough to identify an instrument. */
const accounts = [
  'card.number',
  ...wallets.map((wallet) => `${wallet}.paymentToken` as const),
  'virtualAccount.accountId',
  'bankAccount.number',
  'bankAccount.iban',
  'tokenAccount.number',
] as const;

/**
 * Whether a registration is the instrument: the caller says so, or the request has overrideHolder=true and no account
 * number.
 */
export function paysWithRegistration(request: ParameterRequest): boolean {
  if (request.options.registration === true) return true;
  return request.value('overrideHolder') === 'true' && !accounts.some((name) => request.has(name));
}

/** The wallets in the request, in the order of the catalogue. */
export function walletsOf(request: ParameterRequest): readonly (typeof wallets)[number][] {
  if (!request.hasAny(wallets)) return [];
  return wallets.filter((wallet) => request.under(`${wallet}.`).length > 0);
}

/**
 * One parameter for each instrument of the request, in the order of the catalogue. A card whose wallet sent it
 * decrypted (catalogue 2.2 b) counts as one instrument together with its wallet.
 */
export function instrumentsOf(request: ParameterRequest): readonly SentParameter[] {
  const sentWallets = walletsOf(request);
  const decrypted = sentWallets.find(
    (wallet) => request.has(`${wallet}.source`) && !request.has(`${wallet}.paymentToken`),
  );
  const card = request.find('card.number');
  const ofWallets = sentWallets
    .filter((wallet) => wallet !== decrypted || card === undefined)
    .map((wallet) => request.under(`${wallet}.`)[0]);
  return [
    card,
    ...ofWallets,
    request.under('virtualAccount.')[0],
    request.find('bankAccount.number') ?? request.find('bankAccount.iban'),
    request.find('tokenAccount.number'),
  ].filter((first) => first !== undefined);
}
