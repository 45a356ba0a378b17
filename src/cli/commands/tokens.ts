import { exitCodes } from '../../errors.js';
import { createToken, revokeToken, rotateToken } from '../../http/tokens/change-tokens.js';
import { roles, type Role } from '../../http/tokens/roles.js';
import { tokenList } from '../../listings/list-tokens.js';
import { isoMoment } from '../../values/iso-moment.js';
import {
  actorOption,
  authorOption,
  choiceOption,
  listOption,
  numberOption,
  usageError,
  type Options,
} from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { minuteOf, printList } from '../list-table.js';

/** A day: long enough to change the token in every program that uses it. */
const usualOverlapHours = 24;

/** A year: with a longer overlap, a token that was replaced would hardly ever end. */
const longestOverlapHours = 8760;

const environments = ['test', 'live'] as const;

/** The token is printed once: only its hash is stored. */
export const create: RunCommand = async (context, _args, options) => {
  const entityIds = listOption(options, 'entity');
  if (entityIds.length === 0)
    throw usageError('--entity is missing; name the entity that the token acts for.');
  const request = {
    entityIds,
    roles: rolesOption(options),
    environment: choiceOption(options, 'environment', environments) ?? 'test',
    author: authorOption(options, context.environment),
  };
  const { sql } = await context.database();
  const made = await createToken(sql, request);
  context.printResult(made, `${made.token}\nThis is token ${made.id}. It is not shown again.`);
  return exitCodes.done;
};

/** The tokens, valid and revoked; what they are called, not what they consist of. */
export const list: RunCommand = async (context, _args, options) => {
  await printList(context, options, {
    source: tokenList(),
    head: ['token', 'status', 'environment', 'roles', 'entities', 'created', 'last used'],
    cells: (token) => [
      token.id,
      token.status,
      token.environment,
      token.roles.join(', '),
      token.entityIds.join(', '),
      minuteOf(token.createdAt),
      minuteOf(token.lastUsedAt),
    ],
    none: 'There are no tokens.',
  });
  return exitCodes.done;
};

/** From now on, the token gets 403. */
export const revoke: RunCommand = async (context, [id = ''], options) => {
  const author = actorOption(options, context.environment);
  const { sql } = await context.database();
  const revokedAt = isoMoment(await revokeToken(sql, id, author));
  context.print({ id, revokedAt }, () => `Token ${id} is revoked.`);
  return exitCodes.done;
};

/** Makes a token with the same rights; the old one stays valid for a while. */
export const rotate: RunCommand = async (context, [id = ''], options) => {
  const overlapHours = numberOption(options, 'overlap', longestOverlapHours) ?? usualOverlapHours;
  const author = authorOption(options, context.environment);
  const { sql } = await context.database();
  const rotated = await rotateToken(sql, id, { overlapHours, author });
  const document = { ...rotated, oldValidUntil: isoMoment(rotated.oldValidUntil) };
  context.printResult(
    document,
    [
      document.token,
      `This is token ${document.id}. It is not shown again.`,
      `Token ${id} stays valid until ${document.oldValidUntil}.`,
    ].join('\n'),
  );
  return exitCodes.done;
};

function rolesOption(options: Options): readonly Role[] {
  const given = listOption(options, 'role');
  const chosen = given.map((role) => choiceOption({ role }, 'role', roles)).filter((role) => role !== null);
  return chosen.length === 0 ? ['payments'] : chosen;
}
