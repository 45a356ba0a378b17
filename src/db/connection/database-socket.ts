import { Socket } from 'node:net';
import type { Sql } from '../client.js';

/** The options of a client that the driver (3.4.9) reads when it connects. Its public type does not have them all. */
interface DriverOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false | undefined;
  readonly ssl?: unknown;
  readonly sslnegotiation?: unknown;
  readonly shared: { retries: number };
  socket?: () => Socket;
}

/**
 * Lets a client connect again after its connection was lost while the driver was about to send something. The driver
 * collects what it sends, sends it in the next turn of the event loop, and notes that this is planned. If the
 * connection is closed before, it cancels the plan, but keeps the note and the bytes. On its next connection it then
 * sends nothing, not even its greeting, before it has collected 1,024 bytes: each attempt ends after 15 seconds, and
 * with TLS the connection is unusable for half an hour (issues 1133 and 1208 of porsager/postgres).
 *
 * A driver with several hosts chooses among them itself, so it keeps its own sockets.
 */
export function reconnectAfterLostWrites(sql: Sql): void {
  // The driver's type does not have its internals.
  const options = sql.options as unknown as DriverOptions;
  if (options.host.length > 1 || Boolean(options.sslnegotiation)) return;
  options.socket = () => new DatabaseSocket(options);
}

/** A socket that connects when the driver sends its greeting. */
class DatabaseSocket extends Socket {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly ssl: unknown;
  readonly #options: DriverOptions;
  #isGreeted = false;

  constructor(options: DriverOptions) {
    super();
    this.#options = options;
    this.host = options.host[0];
    this.port = options.port[0];
    this.ssl = options.ssl;
    // A driver that greets does so in the next turn. Otherwise this socket is closed: the driver tries another one, and
    // adds one more greeting to what it kept.
    setImmediate(() => setImmediate(() => this.#isGreeted || this.destroy()));
  }

  override write(...sent: unknown[]): boolean {
    if (!this.#isGreeted) {
      this.#isGreeted = true;
      if (!isGreeting(sent[0])) {
        // What was left of the former connection. The driver has forgotten it now, and is usable again.
        this.destroy();
        return false;
      }
      if (typeof this.#options.path === 'string') this.connect(this.#options.path);
      else this.connect(this.port ?? 5432, this.host ?? 'localhost');
    }
    // The overloads of `write` have no common signature.
    return super.write(...(sent as Parameters<Socket['write']>));
  }

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event !== 'close' || values[0] !== true) return super.emit(event, ...values);
    // The driver refuses what it was given before this connection had its error. What came after that, it would answer
    // with the empty result of the next greeting.
    this.#options.shared.retries += 1;
    return super.emit('close', false);
  }
}

/** A first message of the protocol begins with its length; any later one with the letter of its type. */
function isGreeting(sent: unknown): boolean {
  return Buffer.isBuffer(sent) && sent.length >= 8 && sent.readInt32BE(0) === sent.length;
}
