/**
 * Returns a function that gives out values which need nothing of a request, each once. The next one is made after the
 * event loop has sent what the request sends, while the database works: no request waits for it. Further ones of the
 * same turn are made when they are asked for.
 */
export function prepareAhead<Value>(make: () => Value): () => Value {
  let ready: Value | undefined;
  let isPlanned = false;
  const prepare = () => {
    isPlanned = false;
    ready ??= make();
  };
  // In the next turn: statements are sent at the end of this one (`sendTogether`).
  const prepareLater = () => void setImmediate(prepare);
  return () => {
    const value = ready ?? make();
    ready = undefined;
    if (!isPlanned) setImmediate(prepareLater);
    isPlanned = true;
    return value;
  };
}
