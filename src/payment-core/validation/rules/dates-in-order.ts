import type { ParameterName } from '../../fields/parameter-names.js';
import { checkValue } from '../check-value.js';
import type { ParameterRequest } from '../parameter-request.js';

/**
 * Whether the end is before the start. Valid dates and times sort correctly as texts. One that is missing or malformed
 * has no order, and is reported elsewhere.
 */
export function endsBeforeStart(
  request: ParameterRequest,
  start: ParameterName,
  end: ParameterName,
): boolean {
  const first = validValue(request, start);
  const last = validValue(request, end);
  return first !== undefined && last !== undefined && last < first;
}

function validValue(request: ParameterRequest, name: ParameterName): string | undefined {
  const sent = request.find(name);
  return sent !== undefined && checkValue(sent.field.type, sent.value) === undefined ? sent.value : undefined;
}
