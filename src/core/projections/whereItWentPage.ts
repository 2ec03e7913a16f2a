import { shortEpisode } from '../ids.ts';
import { modelName, pricesOf } from '../episode/model.ts';
import { addUsage, NO_USAGE, type Usage } from '../limits/usage.ts';
import { maskSecrets } from '../secretLooks.ts';
import type { Episode, WorldState } from '../world/state.ts';
import { count, duration, oneLine, thousands, tokens, usd } from './amounts.ts';
import { agentName } from './episodeWords.ts';
import { inputOf, type AgentSpending } from './whereItWent.ts';

/** As many agents, misses, calls and outputs are named; the page says of how many. */
export const NAMED = 10;

/** *Where Did It Go*: what a repository's agents used, and what of it could have been less, as Markdown. */
export function whereItWentPage(repository: string, state: WorldState, agents: readonly AgentSpending[]): string {
  const episodes = [...state.episodes.values()];
  const total = episodes.reduce((sum, e) => addUsage(sum, e.spent.usage), NO_USAGE);
  if (inputOf(total) === 0) return `# Where did it go: ${repository}\n\nNothing has been sent to a model yet.\n`;
  const cost = episodes.reduce((sum, e) => sum + e.spent.usd, 0);
  const estimated = episodes.some((e) => e.spent.estimated);
  const sections = [
    `# Where did it go: ${repository}`,
    `${mark(estimated)}${usd(cost)} · ${usageWords(total)} · ${count(episodes.length, 'agent')}${estimated ? '\n\nWhat is marked with ~ holds estimates: the provider told no counts.' : ''}${episodes.some(({ model, spent }) => !pricesOf(model).known && inputOf(spent.usage) > 0) ? '\n\nModels whose prices are not known count as $0.00.' : ''}`,
    section(`Agents by cost${agents.length < episodes.length ? `: ${agents.length} of ${thousands(episodes.length)}` : ''}`, agents.map((agent) => agentLine(agent, cost))),
    section('Cache misses', top(agents.flatMap((a) => a.misses), (m) => m.lost).map(({ episode, request, lost, pauseMs }) => `- ${shortEpisode(episode)}, request ${request}: ${tokens(lost)} tokens that were cached before were not, ${duration(pauseMs)} after the request before`), 'None: what was cached once stayed cached.'),
    section('Repeated calls', top(agents.flatMap((a) => a.repeated), (r) => r.tokens).map(({ episode, call, times, tokens: all }) => `- ${shortEpisode(episode)}: ${code(call)} ${count(times, 'time')}, ~${tokens(all)} tokens of results`), 'None with the same arguments.'),
    section('Largest outputs of tools', top(agents.flatMap((a) => a.outputs), (o) => o.tokens * Math.max(1, o.sent)).map(({ episode, call, tokens: one, sent }) => `- ${shortEpisode(episode)}: ${code(call)} ~${tokens(one)} tokens, part of ${count(sent, 'request')} since`), 'No tool has run.'),
  ];
  return `${sections.join('\n\n')}\n`;
}

function agentLine({ episode, sentAgain, failed }: AgentSpending, cost: number): string {
  const { spent, model } = episode;
  const share = cost > 0 ? ` (${Math.round((100 * spent.usd) / cost)} %)` : '';
  const parts = [
    `${mark(spent.estimated)}${pricesOf(model).known ? usd(spent.usd) : 'price not known'}${share}`,
    modelName(model), count(requestsOf(episode), 'request'), usageWords(spent.usage),
    ...(sentAgain > 0 ? [`${tokens(sentAgain)} sent again`] : []),
    ...(failed.requests > 0 ? [`${count(failed.requests, 'request')} failed, ${usd(failed.usd)}`] : []),
  ];
  return `- ${agentName(episode)}: ${parts.join(' · ')}`;
}

/** Of another clone's agent only its turns are known. */
function requestsOf({ spent }: Episode): number {
  return spent.requests.length === 0 ? spent.turns : spent.requests.length;
}

/** `340 k in, 96.4 % cached · 12 k out, 3 k of it thinking`. */
function usageWords(usage: Usage): string {
  const input = inputOf(usage);
  const cached = input === 0 ? 0 : (100 * usage.cached) / input;
  return `${tokens(input)} in, ${cached.toFixed(1)} % cached · ${tokens(usage.output)} out${usage.reasoning > 0 ? `, ${tokens(usage.reasoning)} of it thinking` : ''}`;
}

function top<T>(all: readonly T[], by: (one: T) => number): readonly T[] {
  return all.toSorted((a, b) => by(b) - by(a)).slice(0, NAMED);
}

function section(title: string, lines: readonly string[], none = ''): string {
  return `## ${title}\n\n${lines.length === 0 ? none : lines.join('\n')}`;
}

function mark(estimated: boolean): string {
  return estimated ? '~' : '';
}

/** What an agent wrote stays text: no link of it can be clicked, none of its backticks ends the code, and a key in it is masked before half of one is cut off. */
function code(text: string): string {
  return `\`${oneLine(maskSecrets(text), 100).replaceAll('`', '’')}\``;
}
