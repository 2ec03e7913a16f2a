import { z } from 'zod';

/** How much of the network a repository's commands may reach from a sandbox. */
export const networkLevel = z.enum(['off', 'registries', 'on']);
export type NetworkLevel = z.infer<typeof networkLevel>;

/** The level that an answer to the question about it names; null where it names none. */
export function levelOf(choice: string): NetworkLevel | null {
  return networkLevel.safeParse(choice.replace(/^network-/, '')).data ?? null;
}

/** Where package managers fetch from, and nothing to which one could write without an account. */
const REGISTRIES: readonly string[] = [
  // npm, yarn, pnpm, bun, and the headers that native modules are built with.
  'npm.example.org', 'registry.yarnpkg.com', 'nodejs.org', 'npm.jsr.io', 'jsr.io', 'deno.land', 'repo.yarnpkg.com',
  // pip, uv, poetry, conda.
  'pypi.org', 'files.pythonhosted.org', 'conda.anaconda.org', 'repo.anaconda.com',
  // cargo, rustup.
  'index.crates.io', 'static.crates.io', 'crates.io', 'static.rust-lang.org',
  // go.
  'proxy.golang.org', 'sum.golang.org', 'go.dev', 'dl.google.com',
  // Maven, Gradle, Kotlin, Android.
  'repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org', 'plugins-artifacts.gradle.org', 'services.gradle.org', 'downloads.gradle.org', 'maven.google.com',
  // .NET.
  'api.nuget.org', 'www.nuget.org',
  // Ruby, PHP, Elixir, Dart, Haskell, OCaml, Swift, Perl.
  'rubygems.org', 'index.rubygems.org', 'packagist.org', 'repo.packagist.org', 'hex.pm', 'repo.hex.pm', 'builds.hex.pm', 'pub.dev', 'hackage.haskell.org', 'opam.ocaml.org', 'cdn.cocoapods.org', 'cpan.org', 'www.cpan.org',
];

/** Hosts that a level names one by one; null where it names none and every public host may be reached. */
export function hostsOf(level: NetworkLevel, further: readonly string[]): readonly string[] | null {
  switch (level) {
    case 'off': return [];
    case 'registries': return [...REGISTRIES, ...further];
    case 'on': return null;
  }
}

/** One of the person's own hosts, as the setting names it: `packages.example.com` or `*.example.com`, a port after it or not. */
export function isHostName(text: string): boolean {
  return /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?::[1-9][0-9]{0,4})?$/i.test(text) && (!text.startsWith('*.') || text.split('.').length > 2);
}
