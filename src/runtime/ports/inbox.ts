/** Messages from windows that may only look to the one that owns the ledger, as files beside it. */
export interface Inbox {
  /** Waits at most `timeoutMs` milliseconds for the owner to take it. Throws `Refused` where it cannot be written. */
  send(verb: 'stop-everything', timeoutMs: number): Promise<'handled' | 'not understood' | 'no answer'>;
  /** The owner's side: each message once, until disposed. */
  receive(handle: (message: { readonly verb: 'stop-everything' }) => void): { dispose(): void };
}
