/** Parameters of a request: flat dotted names of the specification, each once. */
export type Parameters = Readonly<Record<string, string>>;
