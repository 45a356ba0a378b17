import { cronParts, readCronExpression, type CronPart } from '../fields/cron.js';
import { changingKinds, type RequestKind } from '../fields/request-kinds.js';
import type { ParameterRequest, ValidationOptions } from './parameter-request.js';
import { emptyParameters } from './empty-parameters.js';
import { readRequest, type RequestReading } from './read-request.js';
import { receiveParameters } from './receive-parameters.js';

/** The options that defaults depend on, besides the parameters. */
export interface DefaultOptions extends ValidationOptions {
  /** The moment of the request as `yyyy-MM-dd HH:mm:ss`, for risk.orderTimestamp; without it, no default is set. */
  readonly now?: string;
}

type Defaults = readonly (readonly [name: string, value: string])[];

/**
 * Returns the parameters with the documented defaults of those that were not sent, as a new record without prototype.
 * A structure gets defaults only if the request uses it. Meant for parameters that `validateParameters` accepts:
 * refused parameters are left out or returned unchanged. Never throws.
 */
export function applyDefaults(
  kind: RequestKind,
  parameters: Readonly<Record<string, unknown>>,
  options: DefaultOptions,
): Readonly<Record<string, string>> {
  return completeReading(readRequest(kind, receiveParameters(parameters), options), options.now);
}

/** The parameters of a parsed request, as they were sent. */
export function sentParameters({ request }: RequestReading): Readonly<Record<string, string>> {
  return copyOf(request);
}

function copyOf({ sent }: ParameterRequest): Record<string, string> {
  const copy = emptyParameters();
  for (const { name, value } of sent) copy[name] = value;
  return copy;
}

/** The parameters of a parsed request, with the documented defaults. */
export function completeReading(reading: RequestReading, now?: string): Readonly<Record<string, string>> {
  const { request } = reading;
  const complete = copyOf(request);
  for (const defaultsOf of [coreDefaults, standingInstructionDefaults, purchaseDefaults]) {
    for (const [name, value] of defaultsOf(request)) complete[name] ??= value;
  }
  for (const [name, value] of riskDefaults(request, now)) complete[name] ??= value;
  for (const [name, value] of jobFields(request)) complete[name] = value;
  return complete;
}

function coreDefaults(request: ParameterRequest): Defaults {
  const { kind, options } = request;
  const defaults: [string, string][] = [];
  if (changingKinds.includes(kind) && options.environment === 'test') defaults.push(['testMode', 'INTERNAL']);
  if (kind === 'payment' || kind === 'job') defaults.push(['transactionProcessingCode', 'PURCHASE']);
  if (kind === 'query') defaults.push(['limit', '100']);
  return defaults;
}

/** Operations 2.3: schemeB gets open-ended values for the fields that 3D Secure needs on RECURRING and INSTALLMENT. */
function standingInstructionDefaults(request: ParameterRequest): Defaults {
  const type = request.value('standingInstruction.type');
  if (request.scheme !== 'schemeB' || (type !== 'RECURRING' && type !== 'INSTALLMENT')) return [];
  return [
    ['standingInstruction.expiry', '9999-12-31'],
    ['standingInstruction.frequency', '0001'],
  ];
}

const withPurchaseDefaults = ['cart', 'shipping', 'merchant'];

function purchaseDefaults(request: ParameterRequest): Defaults {
  if (!request.hasAny(withPurchaseDefaults)) return [];
  const items = new Set(request.under('cart.items[').map(({ indexes }) => indexes[0] ?? 0));
  const defaults: [string, string][] = [...items].map((n) => [`cart.items[${n}].quantityUnit`, 'COUNT']);
  for (const prefix of ['shipping.', 'merchant.shipping.']) {
    if (request.under(prefix).length > 0) defaults.push([`${prefix}preference`, 'GET_FROM_FILE']);
  }
  return defaults;
}

function riskDefaults(request: ParameterRequest, now: string | undefined): Defaults {
  if (request.under('risk.').length === 0) return [];
  const brand = request.value('paymentBrand');
  return [
    ...(brand === undefined ? [] : ([['risk.brand', brand]] as const)),
    ...(now === undefined ? [] : ([['risk.orderTimestamp', now]] as const)),
  ];
}

const jobDefaults: Readonly<Record<CronPart, string>> = {
  second: '0',
  minute: '0',
  hour: '0',
  dayOfMonth: '1',
  month: '1',
  dayOfWeek: '1',
  year: '*',
};

/**
 * All fields of a job's time: from the expression if there is one, otherwise the sent fields and the defaults. Both
 * day fields default to 1, which is not supported together, so a day field that was not sent becomes `?`.
 */
function jobFields(request: ParameterRequest): Defaults {
  if (request.kind !== 'job') return [];
  const expression = readCronExpression(request.value('job.expression') ?? '');
  return cronParts.map((part) => [`job.${part}`, expression?.[part] ?? timeField(request, part)] as const);
}

function timeField(request: ParameterRequest, part: CronPart): string {
  const sent = request.value(`job.${part}`);
  if (sent !== undefined && !(part === 'year' && sent === '')) return sent;
  if (part !== 'dayOfMonth' && part !== 'dayOfWeek') return jobDefaults[part];
  const other = request.value(part === 'dayOfMonth' ? 'job.dayOfWeek' : 'job.dayOfMonth');
  if (other === undefined) return part === 'dayOfMonth' ? jobDefaults.dayOfMonth : '?';
  return other === '?' ? jobDefaults[part] : '?';
}
