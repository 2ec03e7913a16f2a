/**
 * What a piece of JSON text is: one whole value, the beginning of one that was cut off (`open`), or no JSON whatever
 * might follow (`broken`). Tells a stream that was cut inside arguments from a model that writes wrong JSON.
 */
type JsonState = 'whole' | 'open' | 'broken';

type Expecting = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing';

export function jsonState(text: string): JsonState {
  const open: ('{' | '[')[] = [];
  let expecting: Expecting = 'value';
  let at = 0;
  const afterValue = (): Expecting => (open.length === 0 ? 'nothing' : ', or end');
  for (;;) {
    while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at++;
    if (at >= text.length) return expecting === 'nothing' ? 'whole' : 'open';
    const next = text.charAt(at);
    if ((next === '}' && open.at(-1) === '{' && (expecting === 'key or }' || expecting === ', or end'))
      || (next === ']' && open.at(-1) === '[' && (expecting === 'value or ]' || expecting === ', or end'))) {
      open.pop();
      expecting = afterValue();
      at++;
      continue;
    }
    switch (expecting) {
      case 'nothing':
        return 'broken';
      case ':':
        if (next !== ':') return 'broken';
        expecting = 'value';
        at++;
        break;
      case ', or end':
        if (next !== ',') return 'broken';
        expecting = open.at(-1) === '{' ? 'key' : 'value';
        at++;
        break;
      case 'key':
      case 'key or }': {
        const end = next === '"' ? stringEnd(text, at) : 'broken';
        if (typeof end === 'string') return end;
        at = end;
        expecting = ':';
        break;
      }
      case 'value':
      case 'value or ]': {
        if (next === '{' || next === '[') {
          open.push(next);
          expecting = next === '{' ? 'key or }' : 'value or ]';
          at++;
          break;
        }
        const end = next === '"' ? stringEnd(text, at) : literalEnd(text, at);
        if (typeof end === 'string') return end;
        at = end;
        expecting = afterValue();
        break;
      }
    }
  }
}

/**
 * JSON text as a value. Line ends and tabs that stand raw inside a string are taken for what they are: weak models
 * write them, JSON forbids them, and they can mean only one thing. Undefined where it is no JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    try {
      return JSON.parse(escapeControls(text)) as unknown;
    } catch {
      return undefined;
    }
  }
}

/** A loop, not a regular expression: a string may be a whole file, and backtracking over it costs stack. */
function stringEnd(text: string, start: number): number | 'open' | 'broken' {
  for (let at = start + 1; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === '"') return at + 1;
    if (c !== '\\') continue;
    at++;
    const escaped = text.charAt(at);
    if (escaped === '') return 'open';
    if (escaped === 'u') {
      const digits = text.slice(at + 1, at + 5);
      if (!/^[0-9a-fA-F]*$/.test(digits)) return 'broken';
      if (digits.length < 4) return 'open';
      at += 4;
    } else if (!'"\\/bfnrt'.includes(escaped)) return 'broken';
  }
  return 'open';
}

function literalEnd(text: string, start: number): number | 'open' | 'broken' {
  for (const word of ['true', 'false', 'null']) {
    const there = text.slice(start, start + word.length);
    if (there === word) return start + word.length;
    if (start + there.length === text.length && word.startsWith(there)) return 'open';
  }
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  number.lastIndex = start;
  const found = number.exec(text);
  const end = start + (found?.[0].length ?? 0);
  if (end < text.length && /^[-+.\deE]+$/.test(text.slice(end, end + 400))) return end + 400 >= text.length ? 'open' : 'broken';
  return found === null ? 'broken' : end;
}

function escapeControls(text: string): string {
  const names: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  let out = '';
  let inString = false;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === '"') inString = !inString;
    else if (c === '\\' && inString) at++;
    else if (inString && names[c] !== undefined) {
      out += text.slice(from, at) + names[c];
      from = at + 1;
    }
  }
  return out + text.slice(from);
}
