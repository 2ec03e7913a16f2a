import { z } from 'zod';

export const turnWarningName = z.enum(['beginning', 'middle', 'end', 'critical']);
export type TurnWarning = z.infer<typeof turnWarningName>;

export interface TurnState {
  /** Turns used so far. */
  readonly used: number;
  readonly most: number;
  readonly mayDelegate: boolean;
  /** The turn after which the newest delegation was made; 0 where there was none. */
  readonly lastDelegation: number;
  /** Warnings that were given, each with the turn after which. */
  readonly given: readonly { readonly warning: TurnWarning; readonly after: number }[];
}

/**
 * The warning that is due after a turn, if any. Each is given at most once, but for the middle one, which comes again
 * after as many turns. The most pressing one is given; one that it has overtaken is not given later.
 */
export function turnWarning(state: TurnState): { readonly warning: TurnWarning; readonly text: string } | null {
  const { used, most, mayDelegate, given } = state;
  const remaining = most - used;
  const had = (warning: TurnWarning) => given.some((g) => g.warning === warning);
  if (remaining <= 0) return null;
  if (remaining <= Math.min(3, Math.max(1, most / 30))) return had('critical') ? null : { warning: 'critical', text: criticalText(remaining) };
  if (remaining <= Math.min(10, Math.max(3, most / 6))) return had('end') ? null : { warning: 'end', text: endText(remaining) };
  if (mayDelegate && used >= Math.max(6, most / 4) && state.lastDelegation === 0 && !had('beginning')) return { warning: 'beginning', text: beginningText(used, most) };
  const since = used - Math.max(state.lastDelegation, ...given.map((g) => g.after));
  return since >= (mayDelegate ? 15 : 45) ? { warning: 'middle', text: middleText(used, most, mayDelegate) } : null;
}

function criticalText(remaining: number): string {
  return `Only ${turns(remaining)} left. Stop what you are doing, leave the files in a state that works, and call finish now. Say in the report what is left.`;
}

function endText(remaining: number): string {
  return `${turns(remaining, true)} left. Bring the work to an end: start nothing new, check what you have, and call finish.`;
}

function beginningText(used: number, most: number): string {
  return `${used} of ${most} turns are used and nothing is delegated yet. Hand on the parts that are independent of each other, or go on alone if there are none.`;
}

function middleText(used: number, most: number, mayDelegate: boolean): string {
  return mayDelegate
    ? `${used} of ${most} turns are used, the last ones without a delegation. See whether a part of what is left can be handed on.`
    : `${used} of ${most} turns are used. Check that you are still working at the goal, and finish as soon as it is reached.`;
}

function turns(n: number, capital = false): string {
  return n === 1 ? `${capital ? 'One' : 'one'} turn is` : `${n} turns are`;
}
