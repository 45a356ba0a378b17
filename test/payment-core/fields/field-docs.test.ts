import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { renderFieldDocs } from '../../../scripts/render-field-docs.js';

test('the page on parameters agrees with the declarations (if not: npx tsx scripts/write-field-docs.ts)', () => {
  const page = path.resolve(import.meta.dirname, '../../../docs/payment-core-fields.md');
  expect(readFileSync(page, 'utf8')).toBe(renderFieldDocs());
});
