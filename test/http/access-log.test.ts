import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { accessLog } from '../../src/http/access-log.js';
import { createLogger } from '../../src/logger.js';

/*
 * The lines of the access log are put together without the logger. They must look like its lines, and protect what the
 * sender chooses as it does.
 */

async function linesOf(level: string, ...requests: readonly Readonly<Record<string, string>>[]) {
  let written = '';
  const logger = createLogger({ level, write: (text) => (written += text) }).child({ run: 7 });
  const server = Fastify({
    logger: false,
    trustProxy: true,
    genReqId: ({ headers }) => String(headers['x-request-id'] ?? 'new'),
  });
  server.decorateRequest('principal', undefined);
  const log = accessLog(logger);
  server.addHook('onResponse', (request, reply, done) => {
    log(request, reply);
    done();
  });
  server.get('/v1/payments/:id', (_request, reply) => reply.code(202).send('{}'));
  for (const headers of requests) await server.inject({ url: '/v1/payments/1234', headers });
  // The lines are written at the end of the turn in which the answers were sent.
  await new Promise((resolve) => setImmediate(resolve));
  logger.info({ requestId: 'b' }, 'other');
  await server.close();
  return written.trimEnd().split('\n');
}

test('a line has the members of any other line, and JSON texts', async () => {
  const [line = '', other = ''] = await linesOf('info', {
    'x-request-id': 'a.b-1',
    'x-forwarded-for': '::1',
  });
  const { time, durationMs, ...rest } = JSON.parse(line) as Record<string, unknown>;
  expect(rest).toEqual({
    level: 30,
    run: 7,
    requestId: 'a.b-1',
    method: 'GET',
    path: '/v1/payments/:id',
    status: 202,
    tokenId: null,
    address: '::1',
    msg: 'request',
  });
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(durationMs).toBeTypeOf('number');
  const names = (text: string) => Object.keys(JSON.parse(text) as object);
  expect(names(other)).toEqual(names(line).filter((name) => names(other).includes(name)));
});

test('what a sender chooses cannot hold a card number, break the line, or change how a terminal shows it', async () => {
  const [line = '', ...others] = await linesOf('info', {
    'x-request-id': '4200000000000000',
    'x-forwarded-for': '4200-0000-0000-0000 "\\ \u0085',
  });
  expect(JSON.parse(line)).toMatchObject({ requestId: '420000******0000' });
  expect(line).not.toContain('4200-0000-0000-0000');
  expect(line).not.toContain('\u0085');
  expect(others).toHaveLength(1);
});

test('nothing is written at a level above info', async () => {
  expect(await linesOf('warn', {})).toEqual(['']);
});
