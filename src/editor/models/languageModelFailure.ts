import { ModelError } from '../../runtime/ports/models.ts';

/**
 * An error of VS Code's language model API as ours. Its codes are few and the rest is in the words: whose quota is used
 * up must not be asked again and again, whose server was busy may be. Reads shapes only, so that it is tested outside of
 * the editor.
 */
export function languageModelFailure(error: unknown, name: string): ModelError {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const words = wordsOf(error);
  const said = `${name}: ${words}`;
  const options = { cause: error };
  const fatal = (why: 'key' | 'model' | 'refused' | 'context-length' | 'no-tools', next: string) => new ModelError({ kind: 'fatal', why }, said, next, null, options);
  const retry = (why: 'rate-limit' | 'overloaded' | 'server' | 'network') => new ModelError({ kind: 'retry', why, retryAfterMs: null }, said, 'It is tried again.', null, options);
  if (code === 'NoPermissions') return fatal('key', 'Allow it when VS Code asks, or under “Manage Language Model Access…” of the account.');
  if (code === 'NotFound') return fatal('model', 'Sign in to the extension that offered it, or choose another model.');
  // Names that VS Code's own chat goes by, too; the words need not say it.
  if (names(error).includes('ChatQuotaExceeded') || /quota|premium request|billing|out of credits/i.test(words)) return fatal('refused', 'Wait until the quota renews, or choose another model.');
  if (names(error).includes('ChatRateLimited') || /rate.?limit|too many requests|\b429\b/i.test(words)) return retry('rate-limit');
  if (/context.?length|too (long|many tokens)|maximum.{0,20}tokens|token limit/i.test(words)) return fatal('context-length', 'Delegate a smaller folder or goal, or choose a model with a larger context.');
  if (/(not support|does not have|without).{0,20}(tool|function)|tools? (is|are) not supported/i.test(words)) return fatal('no-tools', 'Agents work by calling tools: choose a model that can.');
  if (code === 'Blocked') return fatal('refused', 'The provider refused the request; word the goal differently or choose another model.');
  if (/overloaded|\b503\b|\b529\b|capacity/i.test(words)) return retry('overloaded');
  if (/network|fetch failed|ENOTFOUND|ECONN|ETIMEDOUT|socket/i.test(words)) return retry('network');
  if (/unauthori[sz]ed|\b401\b|\b403\b|sign in|api key/i.test(words)) return fatal('key', 'Sign in to the extension that offers the model, or choose another model.');
  return retry('server');
}

function names(error: unknown): readonly string[] {
  return error instanceof Error ? [error.name, ...names(error.cause)] : [];
}

/** The deepest words: VS Code wraps the provider's error in one of its own. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? wordsOf(error.cause) : '';
  return cause !== '' && !error.message.includes(cause) ? `${error.message} (${cause})` : error.message;
}
