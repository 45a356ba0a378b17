import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CallerPermission } from '../payment-core/index.js';
import { authenticate, type Sender } from './authenticate.js';
import type { Answer, Route } from './call.js';
import type { GatewayContext } from './gateway-context.js';
import { readCall } from './read-call.js';
import { sendAnswer } from './send-answer.js';
import { isSame, type FindToken, type Principal } from './tokens/find-token.js';

type Unconfirmed = Extract<Sender, { confirm: unknown }>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Whoever sent a valid token. */
    principal: Principal | undefined;
    /** Set while the token is not confirmed; no answer is sent before. */
    unconfirmed: Unconfirmed | undefined;
  }
}

const noBody = new Uint8Array();

/** Prepares the requests of the server for what {@link addRoute} notes in them. */
export function prepareRequests(server: FastifyInstance): void {
  server.decorateRequest('principal', undefined);
  server.decorateRequest('unconfirmed', undefined);
}

/** Adds a route of the payment core: its token and role, its call, and its answer. */
export function addRoute(
  server: FastifyInstance,
  context: GatewayContext,
  findToken: FindToken,
  route: Route,
): void {
  const { core } = context;
  server.route<{ Params: { id?: string } }>({
    method: route.method,
    url: route.path,
    // A promise only if the token must be looked up first: each costs several turns of the queue of microtasks.
    onRequest: (request, reply, done) => {
      const admit = (who: Sender) => {
        if ('refused' in who) return void sendAnswer(reply, who.refused);
        request.principal = who.principal;
        request.unconfirmed = 'confirm' in who ? who : undefined;
        done();
      };
      const who = authenticate({ core, findToken }, request.raw, route);
      if (who instanceof Promise) who.then(admit).catch(done);
      else admit(who);
    },
    handler: async (request, reply) => {
      const { unconfirmed } = request;
      const answer = answerTo(context, route, request, unconfirmed?.permission);
      if (unconfirmed === undefined) return sendAnswer(reply, await answer);
      const { permission, principal, confirm } = unconfirmed;
      // If the token is refused, it does not matter what became of the answer.
      answer.catch(() => undefined);
      if (permission !== undefined) {
        const answered = await answer;
        if (await permission.confirm()) return sendAnswer(reply, answered);
      }
      const who = await confirm();
      if ('refused' in who) return sendAnswer(reply, who.refused);
      if (permission === undefined && isSame(principal, who.principal))
        return sendAnswer(reply, await answer);
      request.principal = who.principal;
      return sendAnswer(reply, await answerTo(context, route, request));
    },
  });
}

async function answerTo(
  { core, settings, logger }: GatewayContext,
  route: Route,
  request: FastifyRequest<{ Params: { id?: string } }>,
  permission?: CallerPermission,
): Promise<Answer> {
  const { body } = request;
  if (request.params.id === '') return { status: 404, body: core.refuse('700.400.580', [pathWithoutId]) };
  const arrived = {
    id: request.params.id ?? '',
    url: request.raw.url ?? '',
    body: body instanceof Uint8Array ? body : noBody,
    principal: request.principal,
    permission,
    idempotencyKeys: headersOf(request, 'idempotency-key'),
  };
  const read = readCall(core, settings.environment, route, arrived);
  if ('refused' in read) return read.refused;
  if (read.ignored.length > 0) {
    const details = { requestId: request.id, names: read.ignored };
    logger.info(details, 'Retired parameters were ignored.');
  }
  return route.answer(read.call);
}

/** A slash at the end, or an id that a program did not fill in. */
const pathWithoutId = { name: 'path', value: null, message: 'path has nothing where the id belongs' };

/** The values of a header that may be sent several times; Node joins them by commas. */
function headersOf({ headers, raw }: FastifyRequest, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return value.includes(', ') ? (raw.headersDistinct[name] ?? []) : [value].flat();
}
