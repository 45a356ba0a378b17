/** Writes docs/payment-core-fields.md: `npx tsx scripts/write-field-docs.ts`. A test compares the page. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderFieldDocs } from './render-field-docs.js';

const directory = path.resolve(import.meta.dirname, '../docs');
mkdirSync(directory, { recursive: true });
writeFileSync(path.join(directory, 'payment-core-fields.md'), renderFieldDocs());
