import * as vscode from 'vscode';
import { duration, tokens, usd } from '../../core/projections/amounts.ts';
import { pricesOf, type ModelRef } from '../../core/episode/model.ts';
import type { Limits } from '../../core/limits/limits.ts';

interface LimitItem extends vscode.QuickPickItem {
  readonly change?: (limits: Limits) => Limits | Promise<Limits | undefined>;
}

/** Changes what one delegation may use. One choice at a time: the goal box comes back with it. */
export async function pickLimits(limits: Limits, model: ModelRef | undefined): Promise<Limits | undefined> {
  const priced = model === undefined || pricesOf(model).known;
  const amounts: LimitItem[] = priced
    ? [...[0.5, 1, 2, 5, 10].map((costUsd): LimitItem => ({ label: `up to ${usd(costUsd)}`, ...marked(costUsd === limits.costUsd), change: (l) => ({ ...l, costUsd }) })), { label: 'Another amount…', change: async (l) => { const n = await askNumber('US dollars that this agent may cost', l.costUsd); return n === undefined ? undefined : { ...l, costUsd: n }; } }]
    : [5_000_000, 20_000_000, 50_000_000].map((allTokens): LimitItem => ({ label: `up to ${tokens(allTokens)} tokens`, ...marked(allTokens === limits.allTokens), change: (l) => ({ ...l, allTokens }) }));
  const times = [15, 30, 60, 120, 240].map((minutes): LimitItem => ({ label: duration(minutes * 60_000), ...marked(minutes * 60_000 === limits.wallMs), change: (l) => ({ ...l, wallMs: minutes * 60_000 }) }));
  const turns = [32, 64, 128, 256].map((n): LimitItem => ({ label: `${String(n)} turns`, ...marked(n === limits.turns), change: (l) => ({ ...l, turns: n }) }));
  const separator = (label: string): LimitItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const picked = await vscode.window.showQuickPick([separator(priced ? 'Cost' : 'Tokens: this model’s prices are not known'), ...amounts, separator('Time at work'), ...times, separator('Turns'), ...turns], { title: 'Limits of This Agent', placeHolder: 'At a limit the agent stands still and asks', ignoreFocusOut: true });
  return await picked?.change?.(limits);
}

function marked(current: boolean): { readonly description?: string } {
  return current ? { description: 'as it is now' } : {};
}

async function askNumber(prompt: string, value: number): Promise<number | undefined> {
  const entered = await vscode.window.showInputBox({ prompt, value: String(value), ignoreFocusOut: true, validateInput: (text) => (numberIn(text) === null ? 'A number above 0' : undefined) });
  return entered === undefined ? undefined : (numberIn(entered) ?? undefined);
}

function numberIn(text: string): number | null {
  const n = Number(text.trim().replace(/^\$/, '').replace(',', '.'));
  return Number.isFinite(n) && n > 0 ? n : null;
}
