import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { compiledChild } from '../support/compiled-child.js';
import type { Answer, Order } from './command-thread.js';

/** A command in a thread. */
export interface StartedCommand {
  /** As SIGTERM does. */
  stop(): void;
  /** Null if the thread ended at a fail point, as a killed process does. */
  readonly ended: Promise<Answer | null>;
}

/** Threads that run commands, kept for the next command. */
export class CommandThreads {
  readonly #program = compiledChild(path.join(import.meta.dirname, 'command-thread.ts'));
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();

  start(order: Exclude<Order, 'stop'>): StartedCommand {
    const thread = this.#idle.pop() ?? this.#open();
    // The thread may have another command then.
    let hasEnded = false;
    const ended = new Promise<Answer | null>((resolve, reject) => {
      const answered = (answer: Answer) => {
        hasEnded = true;
        thread.off('exit', exited).off('error', failed);
        this.#idle.push(thread);
        resolve(answer);
      };
      const exited = () => {
        this.#all.delete(thread);
        resolve(null);
      };
      const failed = (thrown: Error) => {
        this.#all.delete(thread);
        reject(thrown);
      };
      thread.once('message', answered).once('exit', exited).once('error', failed);
    });
    thread.postMessage(order);
    const stop = () => {
      if (!hasEnded) thread.postMessage('stop' satisfies Order);
    };
    return { stop, ended };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.terminate()));
  }

  #open(): Worker {
    const thread = new Worker(this.#program);
    this.#all.add(thread);
    return thread;
  }
}
