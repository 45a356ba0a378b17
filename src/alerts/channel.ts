import type { Message } from './alert.js';

/** A way to reach people. */
export interface Channel {
  readonly name: 'email' | 'webhook' | 'command';
  /** Whether one sending takes several alerts. */
  readonly isBatch: boolean;
  /**
   * @throws any error; its message must contain no secret
   */
  send(messages: readonly Message[]): Promise<void>;
}

/** A server or a program that does not answer must not keep a run from its end. */
export const sendTimeoutMs = 30_000;

/** A mail may have a report attached, so it may take longer. */
export const mailTimeoutMs = 90_000;
