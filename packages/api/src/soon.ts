/** What is there already, or will be: a port of one process has no need to wait. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on at once where nothing is waited for: promises would take longer than a poll's own work. */
export function andThen<Value, Next>(
  value: Soon<Value>,
  next: (value: Value) => Soon<Next>,
): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
