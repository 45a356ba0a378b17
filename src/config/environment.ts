/** What the program takes from its environment; nothing else reads `process.env`. */
export interface Environment {
  readonly databaseUrl: string | null;
  readonly dataDirectory: string | null;
  readonly configFile: string | null;
  /** A fail point to die at, for tests of recovery. */
  readonly failAt: string | undefined;
  /** Value of any variable, for `${NAME}` in the configuration. */
  readonly variable: (name: string) => string | undefined;
}

const orNull = (value: string | undefined) => (value === undefined || value === '' ? null : value);

export function readEnvironment(): Environment {
  const { env } = process;
  return {
    databaseUrl: orNull(env['RECON_DATABASE_URL']),
    dataDirectory: orNull(env['RECON_DATA_DIR']),
    configFile: orNull(env['RECON_CONFIG']),
    failAt: orNull(env['RECON_FAIL_AT']) ?? undefined,
    variable: (name) => env[name],
  };
}
