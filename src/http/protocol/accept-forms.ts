import type { FastifyInstance, FastifyRequest } from 'fastify';
import { packedBody } from './refuse-protocol.js';

const formType = 'application/x-www-form-urlencoded';

/** A body is a form in UTF-8, which is not packed. It is read as bytes. */
export function acceptForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(formType, { parseAs: 'buffer' }, (request, body, done) => {
    if (isPacked(request)) done(unsupported(packedBody));
    else if (isUtf8(request)) done(null, body);
    else done(unsupported('FST_ERR_CTP_INVALID_MEDIA_TYPE'));
  });
}

function unsupported(code: string): Error {
  return Object.assign(new Error(code), { code, statusCode: 415 });
}

function isUtf8({ headers }: FastifyRequest): boolean {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(headers['content-type'] ?? '') ?? [];
  return /^utf-?8$/i.test(charset);
}

/** A packed body is not unpacked: a few bytes could become gigabytes. */
function isPacked({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}
