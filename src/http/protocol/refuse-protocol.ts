import type { FastifyError } from 'fastify';
import { ReconError } from '../../errors.js';
import type { PaymentCore } from '../../payment-core/index.js';
import { refusedParameter, type Answer } from '../call.js';

/** The code of an error about a body with a `Content-Encoding`. */
export const packedBody = 'PACKED_BODY';

/** The answer to a request that HTTP itself refuses, or that failed. Bodies are those of operations 7.2. */
export function answerOfFailure(core: PaymentCore, thrown: unknown): Answer {
  if (thrown instanceof ReconError) return answerOfReconError(core, thrown);
  const { statusCode = 500, code = '' } = thrown as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return refused(core, 413, 'body', 'is larger than the limit');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || code === 'FST_ERR_CTP_EMPTY_TYPE')
    return unsupportedType(core);
  if (code === packedBody) return refused(core, 415, 'Content-Encoding', 'must be identity, or left out');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return refused(core, 400, 'Content-Length', 'is not the length of the body');
  }
  if (statusCode >= 400 && statusCode < 500) return refused(core, statusCode, 'request', 'is not valid HTTP');
  return { status: 500, body: core.refuse('999.999.888') };
}

/** The database is unavailable for a moment, or a defect. Whether something was stored can be queried. */
function answerOfReconError(core: PaymentCore, error: ReconError): Answer {
  return error.code.startsWith('DATABASE_')
    ? { status: 503, body: core.refuse('800.800.202'), headers: { 'retry-after': '5' } }
    : { status: 500, body: core.refuse('999.999.888') };
}

function unsupportedType(core: PaymentCore): Answer {
  return refused(core, 415, 'Content-Type', 'must be application/x-www-form-urlencoded; charset=UTF-8');
}

/** No operation starts while the server stops. */
export function stopping(core: PaymentCore): Answer {
  return {
    status: 503,
    body: core.refuse('800.800.801'),
    headers: { 'retry-after': '5', connection: 'close' },
  };
}

/** Node would answer neither with a body. */
export function withoutHost(core: PaymentCore): Answer {
  return refused(core, 400, 'Host', 'is required');
}

/** Only `100-continue` can be expected. */
export function unknownExpectation(core: PaymentCore): Answer {
  return refused(core, 417, 'Expect', 'must be 100-continue');
}

function refused(core: PaymentCore, status: number, name: string, message: string): Answer {
  return { status, body: refusedParameter(core, name, message) };
}
