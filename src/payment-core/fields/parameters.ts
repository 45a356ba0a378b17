/** Parameters of a request: flat dotted names of the specification, each once. */
export type ParameterValues = Readonly<Record<string, string>>;
