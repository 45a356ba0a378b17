import { exitCodes } from '../../errors.js';
import { readEncryptionKeys } from '../../http/encryption-keys.js';
import { requireEntityId } from '../../http/tokens/change-tokens.js';
import { deadLetterList } from '../../listings/list-dead-letters.js';
import { webhookList } from '../../listings/list-webhooks.js';
import { isCalendarDate } from '../../values/calendar-date.js';
import { wrappers } from '../../webhooks/notification-request.js';
import { readAuthorities } from '../../webhooks/read-authorities.js';
import { replayEvents, retryDeadLetters, type QueuedAgain } from '../../webhooks/send-again.js';
import { sendTest } from '../../webhooks/send-test.js';
import {
  addWebhook,
  eventTypes,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
  type EventType,
} from '../../webhooks/subscriptions.js';
import { allowedHosts } from '../../webhooks/webhook-url.js';
import { authorOption, choiceOption, listOption, textOption, usageError } from '../command-arguments.js';
import type { Options } from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { minuteOf, printList } from '../list-table.js';

/** The key is printed once: it is stored sealed. */
export const add: RunCommand = async (context, _args, options) => {
  const url = textOption(options, 'url');
  if (url === null) throw usageError('--url is missing; give the address that receives the notifications.');
  const entityIds = listOption(options, 'entity');
  if (entityIds.length === 0)
    throw usageError('--entity is missing; name the entity whose notifications are sent.');
  entityIds.forEach(requireEntityId);
  const { http, webhooks } = context.config();
  const request = {
    environment: http.environment,
    entityIds,
    types: typesOption(options),
    url,
    wrapper: choiceOption(options, 'wrapper', wrappers) ?? 'none',
    author: authorOption(options, context.environment),
  };
  const { sql } = await context.database();
  const allowed = allowedHosts(webhooks.allowHosts);
  const made = await addWebhook(sql, request, { keys: await keysOf(context), allowed });
  context.printResult(
    made,
    [
      `This is webhook ${made.id}. Its key is not shown again:`,
      `key            ${made.key}`,
      `signing secret ${made.signingSecret}`,
    ].join('\n'),
  );
  return exitCodes.done;
};

/** The webhooks, with what waits for each. */
export const list: RunCommand = async (context, _args, options) => {
  await printList(context, options, {
    source: webhookList(),
    head: [
      'webhook',
      'status',
      'environment',
      'types',
      'entities',
      'waiting',
      'dead',
      'last success',
      'next attempt',
    ],
    cells: (webhook) => [
      webhook.id,
      webhook.status,
      webhook.environment,
      webhook.types.join(', '),
      webhook.entityIds.join(', '),
      webhook.waiting,
      webhook.dead,
      minuteOf(webhook.lastSuccessAt),
      minuteOf(webhook.nextAttemptAt),
    ],
    sentence: ({ url, lastError }) => (lastError === null ? url : `${url} (${lastError})`),
    none: 'There are no webhooks.',
  });
  return exitCodes.done;
};

/** Removes a webhook and the notifications that wait for it. */
export const remove: RunCommand = async (context, [id = '']) => {
  const { sql } = await context.database();
  const dropped = await removeWebhook(sql, id);
  context.print({ id, dropped }, () =>
    dropped === 0
      ? `Webhook ${id} is removed.`
      : `Webhook ${id} is removed, with ${counted(dropped)} that waited for it.`,
  );
  return exitCodes.done;
};

/** Exit code 1 when the receiver did not take it. */
export const test: RunCommand = async (context, [id = '']) => {
  const { http, webhooks } = context.config();
  const { sql } = await context.database();
  const result = await sendTest(sql, id, {
    environment: http.environment,
    keys: await keysOf(context),
    allowHosts: webhooks.allowHosts,
    timeoutMs: webhooks.timeoutMs,
    authorities: await readAuthorities(webhooks.caFile ?? null),
    now: Date.now(),
  });
  const failure = `The test was not delivered: ${result.reason ?? ''}.`;
  context.print(
    result,
    () =>
      result.delivered
        ? `The receiver answered ${result.status ?? ''} after ${result.durationMs} ms.`
        : failure,
    result.delivered ? [] : [failure],
  );
  return result.delivered ? exitCodes.done : exitCodes.rejected;
};

/** Keeps the notifications of a webhook until it is resumed. */
export const pause: RunCommand = async (context, [id = '']) => {
  const { sql } = await context.database();
  await pauseWebhook(sql, id);
  context.print(
    { id, status: 'paused' },
    () => `Webhook ${id} is paused. Its notifications wait until it is resumed.`,
  );
  return exitCodes.done;
};

/** Sends what waits at once. */
export const resume: RunCommand = async (context, [id = '']) => {
  const { sql } = await context.database();
  const waiting = await resumeWebhook(sql, id);
  context.print(
    { id, status: 'active', waiting },
    () => `Webhook ${id} is active; recon serve now sends it ${counted(waiting)}.`,
  );
  return exitCodes.done;
};

/** Sends the notifications that were given up once more, and what waits for another attempt at once. */
export const retry: RunCommand = async (context, [id = '']) => {
  const { sql } = await context.database();
  const again = await retryDeadLetters(sql, id);
  context.print({ id, queued: again.queued, status: again.status }, () =>
    again.status === 'active' && again.queued === 0
      ? `No notification of webhook ${id} was given up. recon serve now sends what waits for it.`
      : describeAgain(again),
  );
  return exitCodes.done;
};

/** Sends the notifications since a moment again. */
export const replay: RunCommand = async (context, [id = ''], options) => {
  const since = momentOption(options, 'since');
  const { sql } = await context.database();
  const again = await replayEvents(sql, id, since);
  context.print({ id, since, queued: again.queued, status: again.status }, () => describeAgain(again));
  return exitCodes.done;
};

function describeAgain({ webhookId, status, queued }: QueuedAgain): string {
  return status === 'active' || queued === 0
    ? `recon serve sends ${counted(queued)} again.`
    : `Webhook ${webhookId} is ${status}: recon serve sends ${counted(queued)} again once it is resumed.`;
}

/** The notifications that were given up. */
export const deadLetters: RunCommand = async (context, _args, options) => {
  await printList(context, options, {
    source: deadLetterList(textOption(options, 'webhook')),
    head: ['notification', 'webhook', 'type', 'action', 'resource', 'attempts', 'queued', 'given up'],
    cells: (letter) => [
      letter.messageId,
      letter.webhookId,
      letter.type,
      letter.action,
      letter.resourceId,
      letter.attempts,
      minuteOf(letter.queuedAt),
      minuteOf(letter.givenUpAt),
    ],
    sentence: ({ lastError }) => lastError ?? '',
    none: 'No notification was given up.',
    filter: { options: ['webhook'], entry: 'notification' },
  });
  return exitCodes.done;
};

function keysOf(context: CommandContext) {
  const { http, paymentCore, dataDirectory } = context.config();
  return readEncryptionKeys({ configured: paymentCore.keys, environment: http.environment, dataDirectory });
}

/** `PAYMENT,REGISTRATION`; all of them without the option. */
function typesOption(options: Options): readonly EventType[] {
  const given = listOption(options, 'types').flatMap((text) => text.split(','));
  const chosen = given
    .map((type) => choiceOption({ types: type.trim() }, 'types', eventTypes))
    .filter((type) => type !== null);
  return chosen.length === 0 ? eventTypes : chosen;
}

/** A day, or a moment with its zone: without one, it would be another moment on another machine. */
function momentOption(options: Options, name: string): string {
  const text = textOption(options, name) ?? '';
  const isMoment = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(
    text,
  );
  const epochMs = Date.parse(text);
  // Date.parse makes 2 March of 30 February.
  if (isMoment && isCalendarDate(text.slice(0, 10)) && !Number.isNaN(epochMs))
    return new Date(epochMs).toISOString();
  throw usageError(`--${name} must be a day or a moment such as 2026-11-20T06:30:00Z; "${text}" is not.`);
}

function counted(notifications: number): string {
  return notifications === 1 ? '1 notification' : `${notifications} notifications`;
}
