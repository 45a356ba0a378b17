import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createToken } from '../../../src/http/tokens/change-tokens.js';
import { tokenFinder, type Principal } from '../../../src/http/tokens/find-token.js';
import { databaseForAllTests } from '../../support/database.js';
import { entity, otherEntity } from '../served.js';

const rightsOf = (owner: Principal | undefined) =>
  owner && { tokenId: owner.tokenId, entityIds: owner.entityIds, roles: owner.roles };

const testDatabase = databaseForAllTests();

test('F109 tokens that are looked up at the same moment each have their own owner, until they are revoked', async () => {
  const { sql } = testDatabase.database;
  const request = { entityIds: [entity], roles: ['payments'], environment: 'test', author: 'test' } as const;
  const one = await createToken(sql, request);
  const two = await createToken(sql, { ...request, entityIds: [otherEntity], roles: ['reports'] });
  const live = await createToken(sql, { ...request, environment: 'live' });
  const owners = new Map([
    [one.token, { tokenId: one.id, entityIds: [entity], roles: ['payments'] }],
    [two.token, { tokenId: two.id, entityIds: [otherEntity], roles: ['reports'] }],
  ]);
  const find = tokenFinder(sql, 'test');
  const compare = async (tokens: readonly string[]) => {
    const found = await Promise.all(tokens.map((token) => find(token).now()));
    expect(found.map(rightsOf)).toEqual(tokens.map((token) => owners.get(token)));
  };
  const token = fc.constantFrom(one.token, two.token, live.token, 'unknown');
  const lookUps = fc.array(token, { minLength: 1, maxLength: 12 });
  await fc.assert(fc.asyncProperty(lookUps, compare), { numRuns: 20 });

  await compare([one.token, two.token]);
  await sql`update api_tokens set revoked_at = now() where id = ${one.id}`;
  owners.delete(one.token);
  const last = find(one.token);
  expect(last.before?.tokenId).toBe(one.id);
  expect(await last.now()).toBeUndefined();
  // From then on it is not remembered.
  expect(find(one.token).before).toBeUndefined();
  await fc.assert(fc.asyncProperty(lookUps, compare), { numRuns: 20 });
});
