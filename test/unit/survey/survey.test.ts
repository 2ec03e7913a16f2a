import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Message } from '../../../src/core/episode/model.ts';
import { LOST_RESULT, PASSED_OVER, reworkMessage } from '../../../src/core/prompt/hostMessages.ts';
import { surveyReply } from '../../../src/core/survey/survey.ts';
import type { Played } from '../../support/literalTools.ts';
import { survey } from '../../support/surveyOfFiles.ts';

const SHOP: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'shop-root', private: true, packageManager: 'pnpm@9.1.0', engines: { node: '>=20' }, workspaces: ['packages/*'], scripts: { test: 'pnpm -r test', lint: 'eslint .' } }),
  'README.md': '# Shop\n\n[![ci](x)](y)\n\nShop sells things to people over HTTP.\n\n## Known limitations\n\nNo refunds.\n',
  'AGENTS.md': 'Small commits.',
  '.github/workflows/ci.yml': 'on: push',
  'packages/api/package.json': JSON.stringify({ name: '@shop/api', description: 'The HTTP interface of the shop', type: 'module', main: './dist/index.js', bin: { 'shop-api': './dist/cli.js' }, scripts: { test: 'vitest' } }),
  'packages/api/src/index.ts': "export { Server } from './server.ts';\nexport type { Options } from './server.ts';\nexport * from './prices.ts';\n",
  'packages/api/src/server.ts': "/** Listens for orders. */\nexport class Server {}\nexport interface Options { port: number }\n/** @internal */\nexport function secret() {}\n",
  'packages/api/src/prices.ts': '/** The price of one thing, in cents. */\nexport function price(id: string): number { return 1; }\n/** @deprecated use price */\nexport const cost = price;\n',
  'packages/api/src/cli.ts': "#!/usr/bin/env node\nimport './index.ts';\n",
  'packages/api/test/server.test.ts': 'it("works")',
  'packages/web/package.json': JSON.stringify({ name: '@shop/web', private: true }),
  'packages/web/src/app.ts': 'export function mount() {}\n',
  'packages/web/src/cart.ts': 'export class Cart {}\n',
  'packages/web/CONTEXT.md': '# web\n\nWhat customers see in their browsers.\n',
  'fixtures/package.json': '{"name":"not-this"}',
  'fixtures/index.js': 'exports.no = 1',
  'node_modules/x/package.json': '{"name":"x"}',
  'node_modules/x/index.js': 'exports.no = 1',
};

describe('a survey of a workspace', () => {
  const played = survey(SHOP);

  it('proposes a page for the folder and the packages below it, none over one that is there, none for fixtures and installed packages', () => {
    expect([...played.written.keys()]).toEqual(['CONTEXT.md', 'packages/api/CONTEXT.md']);
  });

  it('says at the root what it is for, what holds for it, what is where and how it is checked', () => {
    expect(played.written.get('CONTEXT.md')).toBe(`# Shop

> Written by Worldtree's rule-based survey from what the files here say; no model was asked. Correct it where it is wrong.

## Purpose

Shop sells things to people over HTTP.

## Constraints

- Runs on Node.js \`>=20\` (\`engines\`).
- Dependencies are installed with \`pnpm@9.1.0\` (\`packageManager\`).

## Routing table

| Folder | What is there |
| --- | --- |
| \`.github/\` | GitHub workflows: \`ci.yml\`. |
| [packages/api](packages/api/CONTEXT.md) | The HTTP interface of the shop. |
| [packages/web](packages/web/CONTEXT.md) | What customers see in their browsers. |

## Known issues

- [Known limitations](README.md#known-limitations), in the readme.

## Notes for agents

- How work is done here: [AGENTS.md](AGENTS.md).
- Workspace of \`packages/*\`.
- Test: \`pnpm test\` (\`pnpm -r test\`).
- Lint: \`pnpm run lint\` (\`eslint .\`).
`);
  });

  it('says of a package what it gives, from the sources behind its built entry', () => {
    expect(played.written.get('packages/api/CONTEXT.md')).toBe(`# @shop/api

> Written by Worldtree's rule-based survey from what the files here say; no model was asked. Correct it where it is wrong.

## Purpose

The HTTP interface of the shop.

## API surface

Package \`@shop/api\`, from \`src/index.ts\`:

- \`Server\` class, \`src/server.ts\`: Listens for orders
- \`price\` function, \`src/prices.ts\`: The price of one thing, in cents
- Types: \`Options\`.
- Deprecated: \`cost\`.
- Program: \`shop-api\` (\`src/cli.ts\`).

## Constraints

- ES modules (\`"type": "module"\`).

## Routing table

| Folder | What is there |
| --- | --- |
| \`src/\` | \`cli.ts\`, \`prices.ts\`, \`server.ts\`. |
| \`test/\` | Tests in TypeScript. |

## Notes for agents

- Test: \`pnpm test\` (\`vitest\`).
- At the root: lint \`pnpm run lint\`.
- Tests: \`test/\`.
`);
  });

  it('reports what it wrote, what it left, and that nothing was run', () => {
    expect(played.finish?.report).toMatch(/2 pages.*- CONTEXT\.md\n- packages\/api\/CONTEXT\.md.*Left as they are: packages\/web\/CONTEXT\.md.*nothing was run/s);
    expect(Array.from(played.finish?.subject ?? '').length).toBeLessThanOrEqual(72);
  });

  it('gives the same replies to the same conversation', () => {
    expect(survey(SHOP)).toEqual(played);
  });

  it('asks for nothing twice, and calls finish alone', () => {
    const calls = played.messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map((c) => `${c.name} ${c.arguments}`) : []));
    expect(new Set(calls).size).toBe(calls.length);
    expect(played.messages.findLast((m): m is AssistantMessage => m.role === 'assistant')?.calls.map((c) => c.name)).toEqual(['finish']);
  });
});

describe('a survey of one folder', () => {
  it('stays in it, and takes commands and the package manager from above', () => {
    const played = survey({ ...SHOP, 'pnpm-lock.yaml': '' }, 'packages/api');
    expect([...played.written.keys()]).toEqual(['packages/api/CONTEXT.md']);
    expect(played.written.get('packages/api/CONTEXT.md')).toContain('- At the root: lint `pnpm run lint`.');
  });

  it('works for one whose kind it would leave out elsewhere', () => {
    expect([...survey(SHOP, 'fixtures').written.keys()]).toEqual(['fixtures/CONTEXT.md']);
  });
});

describe('pages that lead to each other', () => {
  it('lead to no page that is not written', () => {
    const java = Object.fromEntries(['a', 'b'].flatMap((m) => [1, 2, 3, 4].map((n) => [`${m}/src/main/java/com/x/${m}/C${n}.java`, 'class C {}'])));
    const { written } = survey({ ...java, 'README.md': '# J\n\nJ is made of two parts in Java.\n', 'pom.xml': '<x/>', 'a/pom.xml': '<x/>', 'a/README.md': '# a\n\nThe first part, which has a readme.\n', 'b/pom.xml': '<x/>' });
    const links = [...written.values()].flatMap((page) => [...page.matchAll(/\]\(([^)]*CONTEXT\.md)\)/g)].map((m) => m[1]));
    expect([...written.keys()]).toEqual(['CONTEXT.md', 'a/CONTEXT.md']);
    expect(links).toEqual(['a/CONTEXT.md']);
  });
});

describe('a survey with nothing to propose', () => {
  it('changes nothing and says so where every page is there', () => {
    const played = survey({ 'CONTEXT.md': '# x\n\nAll is said here already.', 'index.js': 'exports.a = 1' });
    expect(played.written.size).toBe(0);
    expect(played.finish?.report).toMatch(/Nothing to propose.*has a CONTEXT\.md.*Nothing was changed/s);
  });

  it('changes nothing for a folder that is empty, missing, or says nothing', () => {
    for (const files of [{}, { 'data.bin': 'x', '.hidden/a': 'y' }]) {
      const played = survey(files);
      expect(played.written.size).toBe(0);
      expect(played.finish?.report).toContain('Nothing was changed');
    }
    expect(survey(SHOP, 'missing').written.size).toBe(0);
  });

  it('takes a page in other letters for one, and one that only reading shows', () => {
    expect(survey({ 'context.md': 'x', 'index.js': 'exports.a = 1' }).written.size).toBe(0);
    const ignored = survey({ 'index.js': 'exports.a = 1;\nexports.b = 2;' }, '', (name, args) => (name === 'read_file' && args['path'] === 'CONTEXT.md' ? 'CONTEXT.md, lines 1 to 1 of 1.\n1\tx' : null));
    expect(ignored.written.size).toBe(0);
  });
});

describe('a survey whose tools fail', () => {
  it('goes on without what it could not read', () => {
    const played = survey(SHOP, '', (name, args) => (name === 'read_file' && String(args['path']).includes('src/') ? 'That failed: permission denied. Try something else.' : null));
    expect(played.written.get('packages/api/CONTEXT.md')).toContain('The HTTP interface of the shop');
    expect(played.written.get('packages/api/CONTEXT.md')).not.toContain('Server');
  });

  it('asks again for what a window that was killed took away, and leaves no page out', () => {
    const lost = new Set<string>();
    const played = survey(SHOP, '', (name, args) => {
      const call = JSON.stringify([name, args]);
      if (lost.has(call)) return null;
      lost.add(call);
      return lost.size % 2 === 0 ? LOST_RESULT : PASSED_OVER;
    });
    expect(played.written).toEqual(survey(SHOP).written);
    expect(played.finish?.report).toBe(survey(SHOP).finish?.report);
  });

  it('says which pages could not be written, and which an ignore rule keeps out', () => {
    const played = survey(SHOP, '', (name, args) => (name !== 'write_file' ? null : args['path'] === 'CONTEXT.md' ? 'CONTEXT.md was not written: permission denied.' : `${String(args['path'])}: made, 3 lines. It matches the rule "CONTEXT.md" of .gitignore, so it will not be part of your change.`));
    expect(played.finish?.report).toMatch(/Nothing to propose/);
    expect(played.finish?.report).toContain('Could not be written: CONTEXT.md (CONTEXT.md was not written: permission denied.)');
    expect(played.finish?.report).toContain('kept out of the change by an ignore rule: packages/api/CONTEXT.md');
  });
});

describe('a survey that is sent back', () => {
  it('says that it cannot act on words, and what can be done instead', () => {
    const played = survey(SHOP);
    const again = surveyReply([...played.messages, { role: 'tool', call: lastCall(played), text: 'Proposed.' }, { role: 'user', text: reworkMessage('Shorter, please.') }]);
    expect(again.calls.map((c) => c.name)).toEqual(['finish']);
    expect(JSON.parse(again.calls[0]?.arguments ?? '')).toMatchObject({ report: expect.stringMatching(/2 pages.*cannot act on words.*agent with a model/s) as string });
  });
});

describe('a survey of a large repository', () => {
  const large: Record<string, string> = { 'package.json': '{"name":"large","workspaces":["packages/*"]}', 'README.md': '# Large\n\nLarge is a large thing of many parts.\n' };
  for (let p = 0; p < 150; p++) {
    const at = `packages/part-${String(p).padStart(3, '0')}`;
    large[`${at}/package.json`] = JSON.stringify({ name: `part-${p}`, description: `Part number ${p} of the large thing` });
    large[`${at}/src/index.ts`] = `export * from './deep/more.ts';\n`;
    for (let f = 0; f < 3 + (p % 40); f++) large[`${at}/src/deep/file${f}.ts`] = `export function f${p}_${f}() {}\n`;
    large[`${at}/src/deep/more.ts`] = `/** Does ${p}. */\nexport function run${p}() {}\n`;
    for (let f = 0; f < 40; f++) large[`${at}/test/fixtures/case-${f}/input-with-a-long-name-to-fill-the-answer.js`] = 'x';
  }
  const played = survey(large);

  it('takes no more turns and reads than it may', () => {
    expect(Object.keys(large).length).toBeGreaterThan(3000);
    expect(played.turns).toBeLessThanOrEqual(40);
    expect(played.calls.read_file).toBeLessThanOrEqual(300);
    expect(played.calls.list_files).toBeLessThanOrEqual(200);
  });

  it('proposes thirteen pages at most, of the most substantial folders', () => {
    expect(played.written.size).toBe(13);
    expect([...played.written.keys()].filter((p) => p !== 'CONTEXT.md').every((p) => Number(/part-(\d+)/.exec(p)?.[1]) % 40 >= 30)).toBe(true);
    expect(played.written.get('CONTEXT.md')).toMatch(/Besides these, \d+ more folders\./);
  });

  it('finishes in time where it has only a few turns', () => {
    const short = survey(large, '', null, 8);
    expect(short.turns).toBeLessThanOrEqual(8);
    expect(short.written.has('CONTEXT.md')).toBe(true);
  });
});

describe('a survey of other languages', () => {
  it('describes a Python project by its package', () => {
    const { written } = survey({
      'pyproject.toml': '[project]\nname = "my-tool"\ndescription = "Reads things"\nrequires-python = ">=3.10"\n[project.scripts]\nmytool = "my_tool.cli:main"\n[tool.pytest.ini_options]\n',
      'src/my_tool/__init__.py': '"""Reads things from files."""\nfrom .reader import Reader, read as read\n__all__ = ["Reader", "read"]\n',
      'src/my_tool/reader.py': 'class Reader:\n    """Reads one file."""\n\ndef read(path):\n    """Reads it all."""\n',
      'src/my_tool/cli.py': 'def main():\n    pass\n',
      'tests/test_reader.py': 'def test_it(): pass',
    });
    const page = written.get('CONTEXT.md');
    expect(page).toContain('Python package `my_tool`, from `src/my_tool/__init__.py`:');
    expect(page).toContain('- `Reader`, `read()`.\n- Each is described in [src/my_tool](src/my_tool/CONTEXT.md).');
    expect(written.get('src/my_tool/CONTEXT.md')).toContain('- `Reader` class, `reader.py`: Reads one file\n- `read` function, `reader.py`: Reads it all');
    expect(page).toContain('- Program: `mytool` (`src/my_tool/cli.py`).');
    expect(page).toContain('- Python `>=3.10`.');
    expect(page).toContain('- Test: `pytest` (configured in `pyproject.toml`).');
  });

  it('describes a Rust workspace and its crates, with what they inherit', () => {
    const { written } = survey({
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n[workspace.package]\nrust-version = "1.80"\nedition = "2021"\n',
      'crates/lexer/Cargo.toml': '[package]\nname = "lexer"\nrust-version.workspace = true\nedition.workspace = true\n',
      'crates/lexer/src/lib.rs': '//! Splits text into tokens.\nmod token;\npub mod span;\npub use token::{Token, Kind as TokenKind};\n',
      'crates/lexer/src/token.rs': '/// One token.\npub struct Token;\npub enum Kind {}\n',
      'crates/lexer/src/span.rs': '//! Where tokens stand.\npub struct Span;\n',
    });
    expect(written.get('CONTEXT.md')).toContain('| [crates/lexer](crates/lexer/CONTEXT.md) | Splits text into tokens. |');
    const page = written.get('crates/lexer/CONTEXT.md');
    expect(page).toContain('- `Token` struct, `src/token.rs`: One token\n- `TokenKind` enum, `src/token.rs`\n- `span` module, `src/span.rs`: Where tokens stand');
    expect(page).toContain('- Rust 1.80 or newer (`rust-version`).\n- Rust edition 2021.');
  });

  it('describes a Go module by its packages', () => {
    const { written } = survey({ 'go.mod': 'module example.com/tool/v2\n\ngo 1.22\n', 'tool.go': '// Package tool does things.\npackage tool\n\n// Run runs.\nfunc Run() {}\n', 'cmd/tool/main.go': 'package main\nfunc main() {}\n' });
    expect(written.get('CONTEXT.md')).toContain('# tool\n');
    expect(written.get('CONTEXT.md')).toContain('Go package `tool`:\n\n- `Run` function: runs');
    expect(written.get('CONTEXT.md')).toContain('- Test: `go test ./...`.');
  });
});

describe('names that would break a page', () => {
  it('are kept as text in tables and links', () => {
    const page = survey({ 'package.json': '{"name":"x"}', 'index.js': 'exports.a = 1;', 'a b|c/package.json': '{"name":"y","description":"One | two"}', 'a b|c/index.js': 'exports.z = 1;' }).written.get('CONTEXT.md');
    expect(page).toContain('| [a b\\|c](a%20b%7Cc/CONTEXT.md) | One \\| two. |');
  });
});

function lastCall(played: Played) {
  const last = played.messages.findLast((m): m is Extract<Message, { role: 'assistant' }> => m.role === 'assistant')?.calls[0];
  if (!last) throw new Error('the survey called nothing');
  return last.id;
}
