/** The part of a logger that the core needs. A pino logger fits. */
export interface CoreLogger {
  /** Called when something needs a person, such as a connector that threw. Details contain no secrets. */
  warn(details: object, message: string): void;
}
