import * as z from 'zod';
import type { PagePlace, PageRequest } from '../items/read-sorted-items.js';
import { discrepancyIdText, parseJson, parseSent, storable, text } from './sent-values.js';

const amount = z.string().regex(/^-?\d{1,18}$/);
const placeSchema = z.strictObject({
  key: storable.max(500),
  weight: amount,
  ageDays: z.int().min(0).max(1_000_000),
  id: discrepancyIdText,
});
/** What a key must be for the database to read it. */
const keySchemas = {
  atRisk: amount,
  age: amount,
  amount,
  // ISO 8601 has a year 0; the database does not.
  date: z.iso.date().refine((day) => day >= '0001', 'There is no year 0'),
  code: text,
  account: text,
  status: text,
};

/** The end of a page of items, as a text that the browser sends back for the next page. */
export function placeText({ key, weight, ageDays, id }: PagePlace): string {
  return Buffer.from(JSON.stringify({ key, weight, ageDays, id })).toString('base64url');
}

/** @throws ReconError USAGE_INVALID for a text that does not come from {@link placeText}, or from another order */
export function readPlace(given: string, sort: PageRequest['sort']): PagePlace {
  const place = parseSent(placeSchema, parseJson(Buffer.from(given, 'base64url').toString()));
  parseSent(keySchemas[sort], place.key);
  return place;
}
