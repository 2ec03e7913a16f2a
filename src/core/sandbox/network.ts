import { z } from 'zod';

/** How much of the network a repository's commands may reach from a sandbox. */
export const networkLevel = z.enum(['off', 'registries', 'on']);
export type NetworkLevel = z.infer<typeof networkLevel>;

/** The level that an answer to the question about it names; null where it names none. */
export function levelOf(choice: string): NetworkLevel | null {
  return networkLevel.safeParse(choice.replace(/^network-/, '')).data ?? null;
}

/** Where package managers fetch from, and nothing to which one could write without an account: hosts by their domain, which is `@` itself. */
const REGISTRIES: Readonly<Record<string, readonly string[]>> = {
  // npm, yarn, pnpm, bun, and the headers that native modules are built with.
  'npmjs.org': ['registry'], 'yarnpkg.com': ['registry', 'repo'], 'nodejs.org': ['@'], 'jsr.io': ['@', 'npm'], 'deno.land': ['@'],
  // pip, uv, poetry, conda.
  'pypi.org': ['@'], 'pythonhosted.org': ['files'], 'anaconda.org': ['conda'], 'anaconda.com': ['repo'],
  // cargo, rustup.
  'crates.io': ['@', 'index', 'static'], 'rust-lang.org': ['static'],
  // go.
  'golang.org': ['proxy', 'sum'], 'go.dev': ['@'],
  // Maven, Gradle, Kotlin, Android.
  'apache.org': ['repo.maven'], 'maven.org': ['repo1'], 'gradle.org': ['plugins', 'plugins-artifacts', 'services', 'downloads'], 'google.com': ['maven', 'dl'],
  // .NET.
  'nuget.org': ['api', 'www'],
  // Ruby, PHP, Elixir, Dart, Haskell, OCaml, Swift, Perl.
  'rubygems.org': ['@', 'index'], 'packagist.org': ['@', 'repo'], 'hex.pm': ['@', 'repo', 'builds'], 'pub.dev': ['@'], 'haskell.org': ['hackage'], 'ocaml.org': ['opam'], 'cocoapods.org': ['cdn'], 'cpan.org': ['@', 'www'],
};

const REGISTRY_HOSTS: readonly string[] = Object.entries(REGISTRIES).flatMap(([domain, hosts]) => hosts.map((host) => (host === '@' ? domain : `${host}.${domain}`)));

/** Hosts that a level names one by one; null where it names none and every public host may be reached. */
export function hostsOf(level: NetworkLevel, further: readonly string[]): readonly string[] | null {
  switch (level) {
    case 'off': return [];
    case 'registries': return [...REGISTRY_HOSTS, ...further];
    case 'on': return null;
  }
}

/** One of the person's own hosts, as the setting names it: `packages.example.com` or `*.example.com`, a port after it or not. */
export function isHostName(text: string): boolean {
  return /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?::[1-9][0-9]{0,4})?$/i.test(text) && (!text.startsWith('*.') || text.split('.').length > 2);
}
