/** The part of a logger that the core needs. A pino logger fits. */
export interface CoreLogger {
  warn(details: object, message: string): void;
}
