import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Seeded } from './seeded.ts';

type Fault = 'none' | 'cut' | 'lie' | 'duplicate' | 'drop' | 'corrupt' | 'refuse' | 'error' | 'silence';

/** One answer as it was meant and as it went out. */
export interface BrokenAnswer {
  readonly fault: Fault;
  /** The arguments of its calls as they were meant. */
  readonly calls: readonly string[];
  /** True where everything up to and with the word that it is complete went out. */
  readonly whole: boolean;
  readonly usage: { readonly prompt: number; readonly output: number } | null;
}

/**
 * A model whose streams are cut, delayed, doubled, damaged or silent at random places, the same in every run with the
 * same seed. Each agent has chances of its own, so that it does not matter who comes first. After `lives` requests of
 * an agent it finishes.
 */
export class BrokenModel {
  readonly baseUrl: string;
  /** By the number in an agent's goal (`Goal 7`), in the order in which they were asked for. */
  readonly answers = new Map<number, BrokenAnswer[]>();
  readonly #server: Server;
  readonly #seed: number;
  readonly #lives: number;
  readonly #chances = new Map<number, Seeded>();

  private constructor(server: Server, seed: number, lives: number) {
    this.#server = server;
    this.#seed = seed;
    this.#lives = lives;
    this.baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
  }

  static async start(seed: number, lives: number): Promise<BrokenModel> {
    let model: BrokenModel | undefined;
    const server = createServer((request, response) => {
      // A client that went away in the middle is none of this server's concern.
      model?.handle(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (model = new BrokenModel(server, seed, lives));
  }

  get requests(): number {
    return [...this.answers.values()].reduce((sum, answers) => sum + answers.length, 0);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const goal = Number(/Goal (\d+)/.exec(Buffer.concat(chunks).toString('utf8'))?.[1] ?? '0');
    const chance = this.#chances.get(goal) ?? new Seeded(this.#seed * 7919 + goal);
    this.#chances.set(goal, chance);
    const so = this.answers.get(goal) ?? [];
    this.answers.set(goal, so);
    const isLast = so.length >= this.#lives;
    const fault = isLast ? 'none' : faultOf(chance);
    const answer = isLast ? finishing() : meant(chance, `${String(goal)}-${String(so.length)}`);
    const events = eventsOf(answer, chance);
    const out = broken(events, fault, chance);
    so.push({ fault, calls: answer.calls.map(([, args]) => args), whole: out.whole, usage: answer.usage });
    if (fault === 'refuse') {
      response.writeHead(chance.oneOf([429, 500, 503, 529]), { 'retry-after': '0', 'content-type': 'text/plain' }).end('busy');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await this.#send(response, out.bytes, chance);
    if (fault === 'silence') return;
    if (out.breaks) response.destroy();
    else response.end();
  }

  /** In pieces that end anywhere, also in the middle of a letter. */
  async #send(response: ServerResponse, bytes: Buffer, chance: Seeded): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const end = at + chance.between(1, 400);
      response.write(bytes.subarray(at, end));
      at = end;
      if (chance.chance(0.1)) await sleep(chance.between(0, 3));
    }
    // Else a connection that is broken off takes along what was written last.
    await new Promise<void>((resolve) => { response.write('', () => resolve()); });
  }
}

interface Meant {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly (readonly [name: string, args: string])[];
  readonly usage: BrokenAnswer['usage'];
}

function faultOf(chance: Seeded): Fault {
  const among: readonly Fault[] = ['none', 'none', 'cut', 'cut', 'cut', 'lie', 'duplicate', 'drop', 'corrupt', 'corrupt', 'refuse', 'error'];
  return chance.chance(0.01) ? 'silence' : chance.oneOf(among);
}

function meant(chance: Seeded, name: string): Meant {
  const write = (n: number): readonly [string, string] => ['write_file', JSON.stringify({ path: `api/${name}-${String(n)}.txt`, content: `begin “${name}” 🌍 ${'x'.repeat(chance.between(0, 200))} end\n` })];
  const list = (n: number): readonly [string, string] => ['search', JSON.stringify({ pattern: `nothing-${name}-${String(n)}` })];
  const calls = Array.from({ length: chance.between(1, 3) }, (_, n) => (chance.chance(0.6) ? write(n) : list(n)));
  return { text: chance.chance(0.5) ? `I write ${name} – “now”.` : '', reasoning: chance.chance(0.3) ? 'thinking about 🌍' : '', calls, usage: chance.chance(0.8) ? { prompt: chance.between(100, 5000), output: chance.between(1, 500) } : null };
}

function finishing(): Meant {
  return { text: '', reasoning: '', calls: [['finish', JSON.stringify({ subject: 'Done', report: 'All of it.' })]], usage: { prompt: 1000, output: 10 } };
}

interface Event {
  readonly what: 'part' | 'arguments' | 'finish' | 'usage' | 'done';
  readonly text: string;
}

function eventsOf({ text, reasoning, calls, usage }: Meant, chance: Seeded): readonly Event[] {
  const event = (what: Event['what'], value: unknown): Event => ({ what, text: `data: ${JSON.stringify(value)}\n\n` });
  const delta = (what: Event['what'], part: unknown): Event => event(what, { choices: [{ index: 0, delta: part, finish_reason: null }] });
  const pieces = (whole: string): readonly string[] => whole.match(new RegExp(`[\\s\\S]{1,${String(chance.between(1, 60))}}`, 'gu')) ?? [];
  return [
    ...pieces(reasoning).map((part) => delta('part', { reasoning_content: part })),
    ...pieces(text).map((part) => delta('part', { content: part })),
    ...calls.flatMap(([name, args], index) => [
      delta('arguments', { tool_calls: [{ index, id: `call_${String(index)}`, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(args).map((part) => delta('arguments', { tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
    event('finish', { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
    ...(usage === null ? [] : [event('usage', { choices: [], usage: { prompt_tokens: usage.prompt, completion_tokens: usage.output, total_tokens: usage.prompt + usage.output } })]),
    { what: 'done', text: 'data: [DONE]\n\n' },
  ];
}

function broken(events: readonly Event[], fault: Fault, chance: Seeded): { readonly bytes: Buffer; readonly whole: boolean; readonly breaks: boolean } {
  const all = Buffer.from(events.map((e) => e.text).join(''));
  const finishAt = events.findIndex((e) => e.what === 'finish');
  const untilFinished = Buffer.byteLength(events.slice(0, finishAt + 1).map((e) => e.text).join(''));
  switch (fault) {
    case 'none': case 'refuse': return { bytes: all, whole: true, breaks: false };
    case 'cut': case 'silence': {
      const at = chance.between(0, all.length - 1);
      return { bytes: all.subarray(0, at), whole: at >= untilFinished - 2, breaks: chance.chance(0.5) };
    }
    case 'lie': {
      // It says that it is complete although the last arguments stop in the middle.
      const last = events.findLastIndex((e) => e.what === 'arguments');
      return { bytes: Buffer.from(events.filter((_, place) => place !== last).map((e) => e.text).join('')), whole: false, breaks: false };
    }
    case 'duplicate': {
      const twice = chance.between(0, events.length - 1);
      return { bytes: Buffer.from(events.flatMap((e, place) => (place === twice ? [e.text, e.text] : [e.text])).join('')), whole: true, breaks: false };
    }
    case 'drop': {
      const gone = chance.between(0, events.length - 1);
      return { bytes: Buffer.from(events.filter((_, place) => place !== gone).map((e) => e.text).join('')), whole: gone !== finishAt, breaks: false };
    }
    case 'corrupt': {
      const bytes = Buffer.from(all);
      for (let n = chance.between(1, 4); n > 0; n--) bytes[chance.between(0, bytes.length - 1)] = chance.between(0, 255);
      return { bytes, whole: true, breaks: false };
    }
    case 'error': {
      const at = chance.between(0, finishAt);
      return { bytes: Buffer.from(`${events.slice(0, at).map((e) => e.text).join('')}data: ${JSON.stringify({ error: { message: 'Overloaded', code: 'overloaded_error' } })}\n\n`), whole: false, breaks: false };
    }
  }
}
