import { describe, expect, it } from 'vitest';
import { hostsOf, isHostName, levelOf } from '../../../src/core/sandbox/network.ts';

describe('what commands may reach', () => {
  it('is nothing, registries with the person\'s own hosts, or all', () => {
    expect(hostsOf('off', ['a.example.com'])).toEqual([]);
    expect(hostsOf('registries', ['a.example.com'])).toEqual(expect.arrayContaining(['pypi.org', 'static.crates.io', 'proxy.golang.org', 'repo1.maven.org', 'a.example.com']));
    expect(hostsOf('on', [])).toBeNull();
  });

  it('holds no host of the registries twice, and none that is no name', () => {
    const hosts = hostsOf('registries', []) ?? [];
    expect(new Set(hosts).size).toBe(hosts.length);
    expect(hosts.filter((host) => !isHostName(host))).toEqual([]);
  });

  it('comes of an answer', () => {
    expect(['network-off', 'network-registries', 'network-on', 'run', 'refuse'].map(levelOf)).toEqual(['off', 'registries', 'on', null, null]);
  });

  it('is widened by names of hosts only', () => {
    const names = ['packages.example.com', '*.example.com', 'git.example.com:8443', 'a_b.example.com'];
    const others = ['*', '*.com', 'https://example.com', 'example.com/path', 'example', 'a..b', 'example.com:0', 'example.com:x', '', ' example.com', '-a.example.com'];
    expect(names.filter((name) => !isHostName(name))).toEqual([]);
    expect(others.filter(isHostName)).toEqual([]);
  });
});
