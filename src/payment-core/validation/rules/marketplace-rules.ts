import { purchaseKinds } from '../../fields/request-kinds.js';
import type { ParameterRequest } from '../parameter-request.js';
import { unwanted, type Rule } from './rule.js';

const sellers = (request: ParameterRequest) =>
  request.under('marketPlace.sellers[').filter(({ template }) => template.endsWith('.id'));
const owned = (request: ParameterRequest) =>
  request.under('cart.items[').filter(({ template }) => template.endsWith('.sellerId'));

/** Catalogue 2.17. Sellers without items, and items with sellers but without a marketplace, are not compared. */
export const marketplaceRules: readonly Rule[] = [
  {
    name: 'items-belong-to-sellers',
    section: 'catalogue 2.17',
    statement: 'When both are sent, every cart.items[n].sellerId is the id of a marketPlace.sellers[n].',
    kinds: purchaseKinds,
    about: ['marketPlace'],
    check: (request) => {
      const ids: ReadonlySet<string> = new Set(sellers(request).map(({ value }) => value));
      if (ids.size === 0) return [];
      const others = owned(request).filter(({ value }) => !ids.has(value));
      return unwanted(others, 'is not the id of any seller in marketPlace.sellers');
    },
  },
  {
    name: 'sellers-have-items',
    section: 'catalogue 2.17',
    statement: 'When both are sent, every marketPlace.sellers[n].id is the sellerId of a cart item.',
    kinds: purchaseKinds,
    about: ['marketPlace'],
    check: (request) => {
      const ids: ReadonlySet<string> = new Set(owned(request).map(({ value }) => value));
      if (ids.size === 0) return [];
      const others = sellers(request).filter(({ value }) => !ids.has(value));
      return unwanted(others, 'is not the sellerId of any cart item');
    },
  },
];
