import path from 'node:path';
import { expect, test } from 'vitest';
import { readSchemaFacts } from '../../../src/db/migration/schema-facts.js';
import { databaseForAllTests } from '../../support/database.js';

const file = path.resolve(import.meta.dirname, '../../../drizzle/expected-schema.json');
const testDatabase = databaseForAllTests();

/** `npm run schema:write` writes it again after a migration. */
test('the schema that doctor expects is that of a freshly migrated database', async () => {
  const facts = await readSchemaFacts(testDatabase.database.sql);
  await expect(`${JSON.stringify(facts, null, 2)}\n`).toMatchFileSnapshot(file);
});
