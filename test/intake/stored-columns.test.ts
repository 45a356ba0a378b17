import { getTableColumns } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { settlementRecords } from '../../src/db/schema/settlements.js';
import { storedRecordColumns } from '../../src/intake/stored-columns.js';

test('the columns of COPY are those of the table, in its order', () => {
  expect(storedRecordColumns).toEqual(
    Object.values(getTableColumns(settlementRecords)).map(({ name }) => name),
  );
});
