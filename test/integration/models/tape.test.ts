import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenAiCompatibleModels } from '../../../src/adapters/models/openaiCompatible.ts';
import { playTape, recordTape } from '../../../src/adapters/models/tape.ts';
import { TapeDeck } from '../../../src/adapters/models/tapeDeck.ts';
import { TapeMasking, type Masked } from '../../../src/adapters/models/tapeMask.ts';
import type { Message, ModelReply } from '../../../src/core/episode/model.ts';
import { callId } from '../../../src/core/ids.ts';
import { parseTapeSetting, type TapeSetting } from '../../../src/core/models/tapeSetting.ts';
import { TOOL_LIST } from '../../../src/core/tools/catalogue.ts';
import { ModelError, type ModelRequest, type Models } from '../../../src/runtime/ports/models.ts';
import { call, rateLimited, ScriptedModel, type ScriptedModelOptions } from '../../support/scriptedModel.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporaryFolder.ts';
import { testServer } from '../../support/testServer.ts';

const HERE: Masked = { home: ['/home/ada'], temporary: ['/tmp'], worktrees: ['/home/ada/worldtree'], checkouts: ['/home/ada/code/shop'], keys: ['the-key-of-ada'] };
const THERE: Masked = { home: ['/Users/bob'], temporary: ['/var/tmp'], worktrees: ['/Users/bob/Library/Caches/worldtree'], checkouts: ['/Users/bob/shop'], keys: ['another-key'] };
const WORKTREE = '/home/ada/worldtree/0123abcd/e7-k3f9';
const user = (text: string): Message => ({ role: 'user', text });

describe('a tape', () => {
  let folder: string;
  let file: string;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(() => {
    folder = makeTemporaryFolder('tape');
    file = path.join(folder, 'new', 'demo.tape');
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    removeFolder(folder);
  });

  async function scripted(script: ScriptedModelOptions['script']): Promise<ScriptedModel> {
    const model = await ScriptedModel.start({ script });
    stops.push(() => model.stop());
    return model;
  }

  const openai = (): Models => new OpenAiCompatibleModels({ keyFor: () => Promise.resolve(null), serverOf: () => testServer() });
  const recording = (masked = HERE): Models => recordTape(openai(), { file, masked: () => Promise.resolve(masked), onProblem: (words) => { throw new Error(words); } });
  const playing = (masked = HERE): Models => playTape({ file, masked: () => Promise.resolve(masked) });
  const request = (baseUrl: string, messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({ model: { kind: 'openai', profile: 'p', baseUrl, model: 'scripted', prices: null }, messages, tools: TOOL_LIST, maxOutputTokens: 1000, signal: new AbortController().signal, onText: () => undefined, ...more });
  const failure = (asked: Promise<ModelReply>): Promise<unknown> => asked.then(() => null, (error: unknown) => error);
  const lines = (): readonly string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

  it('plays back exactly what was answered, with the server gone, and as text streams', async () => {
    const model = await scripted([{ text: 'Looking.', reasoning: 'where is it?', calls: [call('read_file', { path: 'a.ts' })], usage: { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 64 }, completion_tokens_details: { reasoning_tokens: 5 } } }]);
    const reply = await recording().ask(request(model.baseUrl, [user('go')]));
    await model.stop();
    stops.splice(0);
    const streamed: string[] = [];
    expect(await playing().ask(request(model.baseUrl, [user('go')], { onText: (text) => streamed.push(text) }))).toEqual(reply);
    expect(streamed.join('')).toBe('Looking.');
  });

  it('gives thoughts the address of the server that they go back to now', async () => {
    const model = await scripted([{ reasoning: 'hm', calls: [call('list_files', {})] }]);
    await recording().ask(request(model.baseUrl, [user('go')]));
    expect((await playing().ask(request('https://elsewhere.example/v1', [user('go')]))).message).toMatchObject({ reasoning: 'hm', reasoningFrom: 'https://elsewhere.example' });
    expect(readFileSync(file, 'utf8')).not.toContain(model.baseUrl);
  });

  it('answers equal requests in their order, failures too, and says when one comes once more', async () => {
    const model = await scripted([{ refuse: rateLimited({ 'retry-after': '7' }) }, { text: 'one' }, { text: 'two' }]);
    const recorder = recording();
    for (let n = 0; n < 3; n++) await failure(recorder.ask(request(model.baseUrl, [user('go')])));
    const player = playing();
    const ask = (): Promise<ModelReply> => player.ask(request(model.baseUrl, [user('go')]));
    expect(await failure(ask())).toMatchObject({ failure: { kind: 'retry', why: 'rate-limit', retryAfterMs: 7000 } });
    expect([(await ask()).message.text, (await ask()).message.text]).toEqual(['one', 'two']);
    expect(await failure(ask())).toMatchObject({ name: 'NotRecordedError', message: 'The tape has this request 3 times, and it was asked once more.' });
  });

  it('names how the nearest recorded request differs from one that is missing', async () => {
    const model = await scripted(() => ({ text: 'ok' }));
    const recorder = recording();
    await recorder.ask(request(model.baseUrl, [user('something else')]));
    await recorder.ask(request(model.baseUrl, [user('go'), user('The file has 12 lines.')]));
    const miss = async (messages: readonly Message[], more: Partial<ModelRequest> = {}): Promise<string> => {
      const error = await failure(playing().ask(request(model.baseUrl, messages, more)));
      expect(error).toMatchObject({ failure: { kind: 'fatal', why: 'not-recorded' } });
      return error instanceof ModelError ? error.message : '';
    };
    expect(await miss([user('go'), user('The file has 13 lines.')])).toBe('The tape does not hold this request. The nearest, its number 2, differs: message 2 (user) has "The file has 13 lines.", there "The file has 12 lines.".');
    expect(await miss([user('go')])).toContain('it ends before message 2 there');
    expect(await miss([user('go'), user('The file has 12 lines.'), user('more')])).toContain('it goes on with message 3, "more", where that one ends');
    expect(await miss([user('something else')], { maxOutputTokens: 5, tools: [] })).toContain('number 1, differs: the tools are others; the answer may have 5 tokens, there 1000');
    expect(model.requests).toHaveLength(2);
  });

  it('holds no key, no path of the home, the worktree or the machine, and no id of an episode', async () => {
    const secrets = ['the-key-of-ada', 'sk-proj-abcdefghijklmnopqrstuv', 'ghp_abcdefghijklmnopqrst1234', '-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----', 'Bearer abcdefghijklmnop', `npm_${'aB3'.repeat(12)}`, `pypi-AgEIcHlwaS5vcmc${'x_-9'.repeat(8)}`, 'ghr_abcdefghijklmnopqrst1234', `SG.${'a1'.repeat(11)}.${'b2'.repeat(21)}`, `dop_v1_${'0af9'.repeat(16)}`];
    const places = ['/home/ada/.ssh/config', `${WORKTREE}/src/a.ts`, '/home/ada/worldtree', '/tmp/worldtree-git-1-2-x/f', '/home/ada/code/shop/src', 'refs/worldtree/episodes/e12-abcd/base'];
    const model = await scripted([{ text: `In ${WORKTREE}/src, with ${secrets.join(' ')}`, reasoning: `it is at ${places.join(' ')}`, calls: [call('run', { command: `cat ${places.join(' ')}` })] }, { refuse: { status: 400, body: { error: { message: `no ${places.join(' ')}` } } } }]);
    const recorder = recording();
    const first = await recorder.ask(request(model.baseUrl, [user(`${secrets.join('\n')}\n${places.join('\n')}`)]));
    await failure(recorder.ask(request(model.baseUrl, [user('x'), first.message, { role: 'tool', call: first.message.calls[0]?.id ?? callId.parse('c'), text: places.join('\n') }])));
    const tape = readFileSync(file, 'utf8');
    for (const text of [...secrets.map((secret) => JSON.stringify(secret).slice(1, -1)), 'MIIabc', '/home/ada', 'ada', '/tmp', '0123abcd', 'e7-k3f9', 'e12-abcd', model.baseUrl, '127.0.0.1']) expect(tape).not.toContain(text);
    expect(tape).toContain('⟨home 1⟩/.ssh/config');
  });

  it('turns a key that is the value of a setting back into itself', () => {
    const masking = new TapeMasking(HERE, null, 'scripted');
    const text = 'MODEL_TOKEN=the-key-of-ada\nDB_PASSWORD=correcthorse\npostgres://ada:the-key-of-ada@db/shop';
    const masked = masking.mask(text);
    expect(masked).not.toMatch(/the-key|correcthorse/);
    expect(masking.unmask(masked)).toBe(text);
  });

  it('plays on another machine, and speaks of that one’s paths', async () => {
    const model = await scripted([{ calls: [call('run', { command: `cd ${WORKTREE}/src && ls /home/ada/.config` })] }]);
    await recording().ask(request(model.baseUrl, [user(`You are e7-k3f9 in ${WORKTREE}.`)]));
    const worktree = '/Users/bob/Library/Caches/worldtree/89abcdef/e1-zzzz';
    const reply = await playing(THERE).ask(request('https://b.example/v1', [user(`You are e1-zzzz in ${worktree}.`)]));
    expect(reply.message.calls[0]?.arguments).toBe(JSON.stringify({ command: `cd ${worktree}/src && ls /Users/bob/.config` }));
  });

  it('names no path of a model, nor of a folder by either of its names', async () => {
    const name = '/srv/ada/models/qwen.gguf';
    const linked: Masked = { ...HERE, home: ['/home/ada', '/mnt/disk/ada'], temporary: ['/tmp', '/private/tmp'], checkouts: ['/home/ada/code/shop', '/mnt/data/shop'] };
    const model = await scripted([{ text: `I am ${name}.` }]);
    const asked = (worktree: string, more: Partial<ModelRequest>): ModelRequest => request(model.baseUrl, [user(`${worktree}; /mnt/disk/ada/x /private/tmp/y /mnt/data/shop/z`)], more);
    await recording(linked).ask(asked(WORKTREE, { model: { kind: 'openai', profile: 'p', baseUrl: model.baseUrl, model: name, prices: null } }));
    for (const text of ['/srv', 'ada', '/mnt', '/private']) expect(readFileSync(file, 'utf8')).not.toContain(text);
    const there = { kind: 'openai', profile: 'p', baseUrl: 'https://b.example/v1', model: '/models/qwen.gguf', prices: null } as const;
    expect((await playing(linked).ask(asked(WORKTREE, { model: there }))).message.text).toBe('I am /models/qwen.gguf.');
  });

  it('puts no secret of this run into what its calls do, whoever made it', async () => {
    const model = await scripted([{ text: 'Sent the-key-of-ada.', calls: [call('run', { command: 'curl -d the-key-of-ada /home/ada/x' })] }]);
    await recording().ask(request(model.baseUrl, [user('the-key-of-ada')]));
    const { message } = await playing({ ...HERE, keys: ['key-of-bob'] }).ask(request('https://b.example/v1', [user('key-of-bob')]));
    expect(message.calls[0]?.arguments).toBe(JSON.stringify({ command: 'curl -d ⟨secret 1⟩ /home/ada/x' }));
  });

  it('takes what the host quotes of a command for the same, however long that took', async () => {
    const model = await scripted([{ text: 'ok' }]);
    await recording().ask(request(model.baseUrl, [user('The end of what it printed:\n3 tests in 120ms')]));
    expect((await playing().ask(request(model.baseUrl, [user('The end of what it printed:\n3 tests in 98ms')]))).message.text).toBe('ok');
  });

  it('takes a command that took another time for the same one', async () => {
    const model = await scripted([{ text: 'ok' }]);
    const ran = (words: string): readonly Message[] => [user('go'), { role: 'assistant', text: '', calls: [{ id: callId.parse('c'), name: 'run', arguments: '{}' }] }, { role: 'tool', call: callId.parse('c'), text: words }];
    await recording().ask(request(model.baseUrl, ran('exit code 0, 0.0 s\n[12:00:01] 3 tests in 120ms, 0.0 s')));
    expect((await playing().ask(request(model.baseUrl, ran('exit code 0, 2.1 s\n[12:31:59] 3 tests in 98ms, 1.5 s')))).message.text).toBe('ok');
    expect(await failure(playing().ask(request(model.baseUrl, ran('exit code 1, 2.1 s'))))).toMatchObject({ name: 'NotRecordedError' });
  });

  it('is a file for the person alone, that grows with what is new of a conversation', async () => {
    const model = await scripted(() => ({ text: 'ok' }));
    const recorder = recording();
    const long = user('x'.repeat(10_000));
    await recorder.ask(request(model.baseUrl, [long]));
    await recorder.ask(request(model.baseUrl, [long, user('more')]));
    await recorder.ask(request(model.baseUrl, [long, user('more'), user('again')]));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lines()).toHaveLength(4);
    expect(readFileSync(file, 'utf8').length).toBeLessThan(13_000);
    await playing().ask(request(model.baseUrl, [long, user('more'), user('again')]));
  });

  it('of conversations that take turns keeps of each only what is new', async () => {
    const model = await scripted(() => ({ text: 'ok' }));
    const recorder = recording();
    const [start, one, two] = [user('x'.repeat(10_000)), user('y'.repeat(10_000)), user('z'.repeat(10_000))];
    for (const messages of [[start], [start, one], [start, two], [start, one, user('more')], [start, two, user('more')]]) await recorder.ask(request(model.baseUrl, messages));
    expect(lines().slice(1).map((line) => (JSON.parse(line) as { kept: number }).kept)).toEqual([0, 1, 1, 2, 2]);
    expect(readFileSync(file, 'utf8').length).toBeLessThan(33_000);
    expect(String(await failure(playing().ask(request(model.baseUrl, [start, two, user('less')]))))).toContain('its number 5, differs: message 3 (user) has "less", there "more"');
  });

  it('that others could read is for the person alone once it goes on', async () => {
    const model = await scripted(() => ({ text: 'ok' }));
    await recording().ask(request(model.baseUrl, [user('one')]));
    chmodSync(file, 0o644);
    await recording().ask(request(model.baseUrl, [user('two')]));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('that a crash tore is read up to there, and goes on', async () => {
    const model = await scripted(() => ({ text: 'ok' }));
    for (const text of ['one', 'two']) await recording().ask(request(model.baseUrl, [user(text)]));
    truncateSync(file, statSync(file).size - 30);
    await playing().ask(request(model.baseUrl, [user('one')]));
    expect(await failure(playing().ask(request(model.baseUrl, [user('two')])))).toMatchObject({ name: 'NotRecordedError' });
    await recording().ask(request(model.baseUrl, [user('three')]));
    for (const text of ['one', 'three']) await playing().ask(request(model.baseUrl, [user(text)]));
  });

  it.each([
    ['that is not there', null, /cannot be read/], ['that is another file', '{"name":"x"}\n', /is no tape/], ['of a newer version', '{"v":2,"kind":"tape"}\n', /newer version/], ['with a line that is no exchange', '{"v":1,"kind":"tape"}\n{"kind":"exchange"}\n', /Line 2 of the tape/],
  ])('%s is said to be one, and nobody is asked', async (_name, text, words) => {
    mkdirSync(path.dirname(file), { recursive: true });
    if (text !== null) writeFileSync(file, text);
    const error = await failure(playing().ask(request('http://127.0.0.1:9/v1', [user('go')])));
    expect(error).toMatchObject({ failure: { kind: 'fatal', why: 'not-recorded' } });
    expect(String(error)).toMatch(words);
  });

  it('never overwrites another file, and a reply that cannot be written is still given', async () => {
    mkdirSync(path.dirname(file), { recursive: true });
    appendFileSync(file, 'my notes\n');
    const model = await scripted([{ text: 'ok' }]);
    const problems: string[] = [];
    const recorder = recordTape(openai(), { file, masked: () => Promise.resolve(HERE), onProblem: (words) => problems.push(words) });
    expect(await recorder.ask(request(model.baseUrl, [user('go')]))).toMatchObject({ message: { text: 'ok' } });
    expect(problems).toEqual([expect.stringMatching(/exists and is no tape/)]);
    expect(readFileSync(file, 'utf8')).toBe('my notes\n');
  });

  it('is switched by a setting, and starts from its beginning when it is switched on', async () => {
    const model = await scripted(() => ({ text: 'ok' }));
    let setting: TapeSetting = { mode: 'record', file };
    const deck = new TapeDeck({ models: openai(), setting: () => setting, masked: () => Promise.resolve(HERE), onProblem: (words) => { throw new Error(words); } });
    const ask = (): Promise<ModelReply> => deck.ask(request(model.baseUrl, [user('go')]));
    await ask();
    for (let times = 0; times < 2; times++) {
      setting = { mode: 'play', file };
      await ask();
      expect(await failure(ask())).toMatchObject({ name: 'NotRecordedError' });
      deck.rewind();
    }
    setting = { mode: 'off' };
    await ask();
    setting = parseTapeSetting({ mode: 'play' });
    expect(String(await failure(ask()))).toMatch(/names no file by its whole path/);
    expect(model.requests).toHaveLength(2);
    expect(lines()).toHaveLength(2);
  });
});

describe('what a tape masks', () => {
  it('comes back as it was, each in its place', () => {
    const masking = new TapeMasking(HERE, null, 'scripted');
    const text = `${WORKTREE}/a /home/ada/b /home/ada/worldtree/0123abcd/e8-k3f9/c ${WORKTREE}/d e8-k3f9 the-key-of-ada /home/adam/x`;
    const masked = masking.mask(text);
    expect(masked).toBe('⟨worktree 1⟩/a ⟨home 1⟩/b ⟨worktree 2⟩/c ⟨worktree 1⟩/d ⟨episode 1⟩ ⟨secret 1⟩ /home/adam/x');
    expect(masking.unmask(masked)).toBe(text);
  });

  it('is found in a Windows path and in JSON of one', () => {
    const masking = new TapeMasking({ ...HERE, home: ['C:\\Users\\ada'], worktrees: ['C:\\Users\\ada\\AppData\\Local\\worldtree'] }, null, 'scripted');
    const path = 'C:\\Users\\ada\\AppData\\Local\\worldtree\\0123abcd\\e7-k3f9\\a.ts';
    for (const text of [path, JSON.stringify({ path }), path.replaceAll('\\', '/')]) {
      expect(masking.mask(text)).not.toMatch(/ada|k3f9/);
      expect(masking.unmask(masking.mask(text))).toBe(text);
    }
  });
});
