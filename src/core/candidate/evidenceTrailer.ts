import type { Evidence } from '../constraints/constraint.ts';
import { trailerEvidence } from './commitMessage.ts';
import { formatEvidence } from './trailers.ts';

/** The person's message with what the checks gave at this accept, in place of what it said of them before. */
export function withEvidence(message: string, evidence: readonly Evidence[]): string {
  const lines = message.trimEnd().split('\n').filter((line) => !line.startsWith('Worldtree-Evidence: '));
  if (evidence.length > 0) {
    const model = lines.findLastIndex((line) => line.startsWith('Worldtree-'));
    const trailer = formatEvidence(trailerEvidence(evidence));
    if (model < 0) lines.push('', trailer);
    else lines.splice(model + 1, 0, trailer);
  }
  return `${lines.join('\n')}\n`;
}
