import { refuse, refuseThrottled } from '../responses/stamp-response.js';
import type { ErrorResponse } from '../responses/response-types.js';
import { admitRequest } from '../throttling/admit-request.js';
import type { Operation } from '../core/throttling.js';
import { receiveParameters, type ReceivedParameters } from '../validation/receive-parameters.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { answerOnce } from './answer-once.js';
import type { Guard } from '../core/guarded.js';
import { refusedPermission } from '../core/caller-permission.js';
import { receiveCaller, receiveId } from '../core/receive.js';

/** Wraps operations so that they can be called from outside. */
export interface OperationWrappers {
  /** Counts the request (800.120.100 when its window is full), does the work, and throws nothing but `ReconError`. */
  readonly call: <T>(
    operation: Operation,
    caller: Caller,
    work: () => Promise<T>,
  ) => Promise<T | ErrorResponse>;
  /** The same within an operation that has begun. */
  readonly admit: OperationWrappers['call'];
  readonly withId: <T>(operation: Operation, work: WorkWithId<T>) => CallWithId<T>;
  readonly withParameters: <T extends object>(
    operation: Operation,
    work: WorkWithParameters<T>,
  ) => CallWithParameters<T>;
  readonly withBoth: <T extends object>(operation: Operation, work: WorkWithBoth<T>) => CallWithBoth<T>;
}

type WorkWithId<T> = (context: CoreContext, id: string, caller: Caller) => Promise<T>;
type WorkWithParameters<T> = (
  context: CoreContext,
  received: ReceivedParameters,
  caller: Caller,
) => Promise<T>;
type WorkWithBoth<T> = (
  context: CoreContext,
  id: string,
  received: ReceivedParameters,
  caller: Caller,
) => Promise<T>;
type CallWithId<T> = (id: string, caller?: Caller) => Promise<T | ErrorResponse>;
type CallWithParameters<T> = (parameters: ParameterValues, caller?: Caller) => Promise<T | ErrorResponse>;
type CallWithBoth<T> = (
  id: string,
  parameters: ParameterValues,
  caller?: Caller,
) => Promise<T | ErrorResponse>;

/**
 * Every operation is called through these wrappers. The caller's arguments are copied and bounded before the first
 * await. Then the request is counted, before any other check.
 */
export function wrapOperations(context: CoreContext, { during }: Guard): OperationWrappers {
  const admit: OperationWrappers['admit'] = async (operation, caller, work) => {
    if (!checksPermission(context, operation, caller) && (await caller.permission?.confirm()) === false) {
      return refuse(context, refusedPermission);
    }
    const waitSeconds = await admitRequest(context, operation, caller);
    return waitSeconds === undefined ? work() : refuseThrottled(context, waitSeconds);
  };
  const call: OperationWrappers['call'] = (operation, caller, work) =>
    during(operation, () => admit(operation, caller, work));
  return {
    call,
    admit,
    withId: (operation, work) => (id, caller) => {
      const [named, who] = [receiveId(id), receiveCaller(caller)];
      return call(operation, who, () => work(context, named, who));
    },
    withParameters: (operation, work) => (parameters, caller) => {
      const [received, who] = [receiveParameters(parameters), receiveCaller(caller)];
      const request = { operation, ids: [], received };
      return call(operation, who, () =>
        answerOnce(context, who, request, (claimed) => work(claimed, received, who)),
      );
    },
    withBoth: (operation, work) => (id, parameters, caller) => {
      const [named, received, who] = [receiveId(id), receiveParameters(parameters), receiveCaller(caller)];
      const request = { operation, ids: [named], received };
      return call(operation, who, () =>
        answerOnce(context, who, request, (claimed) => work(claimed, named, received, who)),
      );
    },
  };
}

/** Whether the operation checks the permission of its caller itself, and nothing is written before. */
function checksPermission(
  { throttling }: CoreContext,
  operation: Operation,
  { idempotencyKey }: Caller,
): boolean {
  return (
    operation === 'payments.create' && throttling[operation] === undefined && idempotencyKey === undefined
  );
}
