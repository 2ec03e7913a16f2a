const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'TypeScript', tsx: 'TypeScript', mts: 'TypeScript', cts: 'TypeScript',
  js: 'JavaScript', jsx: 'JavaScript', mjs: 'JavaScript', cjs: 'JavaScript',
  py: 'Python', pyi: 'Python', rs: 'Rust', go: 'Go', java: 'Java', kt: 'Kotlin', kts: 'Kotlin', scala: 'Scala', rb: 'Ruby', php: 'PHP',
  c: 'C', h: 'C', cc: 'C++', cpp: 'C++', cxx: 'C++', hpp: 'C++', cs: 'C#', fs: 'F#', swift: 'Swift', m: 'Objective-C', dart: 'Dart',
  ex: 'Elixir', exs: 'Elixir', erl: 'Erlang', hs: 'Haskell', ml: 'OCaml', clj: 'Clojure', lua: 'Lua', pl: 'Perl', r: 'R', jl: 'Julia', zig: 'Zig', nim: 'Nim',
  vue: 'Vue', svelte: 'Svelte', astro: 'Astro', sh: 'Shell', bash: 'Shell', zsh: 'Shell', fish: 'Shell', ps1: 'PowerShell', sql: 'SQL', css: 'CSS', scss: 'SCSS', less: 'Less', html: 'HTML', tf: 'Terraform', sol: 'Solidity', proto: 'Protocol Buffers', graphql: 'GraphQL',
};

/** The programming or style language of a file by its extension; null for prose, data and unknown ones. */
export function languageOf(path: string): string | null {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(LANGUAGES, extension) ? (LANGUAGES[extension] ?? null) : null;
}
