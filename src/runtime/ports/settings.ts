import type { ModelRef } from '../../core/episode/model.ts';
import type { DailyLimits } from '../../core/limits/limits.ts';
import type { CheckoutSetting } from '../../core/world/extent.ts';

/** The machine's settings, read anew each time they are needed. */
export interface Settings {
  /** Untrusted: views work, nothing of the repository runs or is acted on (rule 10). */
  trusted(): boolean;
  daily(): DailyLimits;
  commitHooks(): 'run' | 'skip';
  acceptStyle(): 'auto' | 'squash' | 'merge';
  /** Bytes that worktrees may take on disk before those of waiting changes are given back. */
  worktreeBytes(): number;
  /** How much of the repository an agent's worktree has on disk. */
  worktreeCheckout(): CheckoutSetting;
  /** Output tokens that one request to a model may ask for. */
  maxOutputTokens(model: ModelRef): number;
  /** Tokens that a model can take in all; null where nobody said. */
  contextWindow(model: ModelRef): number | null;
  /** Tokens of conversation from which on it is compacted. */
  compactAt(): number;
  /** Requests that a model takes at the same time. */
  slots(model: ModelRef): number;
}
