/** Ends a switch over a closed union: a member that nobody handles does not type-check. */
export function unreachable(value: never): never {
  throw new Error(`a case was not handled: ${JSON.stringify(value)}`);
}
