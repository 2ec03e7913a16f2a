import * as vscode from 'vscode';
import { COMPACT_AT } from '../core/episode/compaction.ts';
import { parseProfiles, type ModelProfile } from '../core/models/modelProfile.ts';
import { isHostName, type NetworkLevel } from '../core/sandbox/network.ts';
import { DISK_BUDGET_GB } from '../core/limits/diskBudget.ts';
import { DAILY_LIMITS, DELEGATION_LIMITS, type DailyLimits, type Limits } from '../core/limits/limits.ts';
import { parseTapeSetting, type TapeSetting } from '../core/models/tapeSetting.ts';
import type { CheckoutSetting } from '../core/world/extent.ts';
import { SETTINGS, type SettingKey } from './contributions.ts';

/** The settings as the rest of the program takes them: checked, in its own units. */
export interface Settings {
  readonly models: readonly ModelProfile[];
  /** What is wrong with entries of `worldtree.models`; those are left out. */
  readonly modelProblems: readonly string[];
  readonly limits: Limits;
  readonly daily: DailyLimits;
  /** Tokens of conversation. */
  readonly compactAt: number;
  readonly commitHooks: 'run' | 'skip';
  readonly checks: 'warm' | 'cold';
  readonly submodules: 'leave' | 'init';
  /** Bytes. */
  readonly worktreeBytes: number;
  readonly worktreeCheckout: CheckoutSetting;
  readonly tape: TapeSetting;
  /** Empty: the machine's cache folder. */
  readonly worktreeRoot: string;
  readonly sandboxEnabled: boolean;
  readonly network: NetworkLevel | 'ask';
  readonly furtherHosts: readonly string[];
}

export function readSettings(): Settings {
  const { profiles, problems } = parseProfiles(value('worldtree.models'));
  return {
    models: profiles,
    modelProblems: problems,
    limits: {
      costUsd: positive('worldtree.limits.costUsd', DELEGATION_LIMITS.costUsd),
      freshTokens: positive('worldtree.limits.freshTokens', DELEGATION_LIMITS.freshTokens),
      allTokens: positive('worldtree.limits.allTokens', DELEGATION_LIMITS.allTokens),
      wallMs: positive('worldtree.limits.minutes', DELEGATION_LIMITS.wallMs / 60_000) * 60_000,
      turns: Math.ceil(positive('worldtree.limits.turns', DELEGATION_LIMITS.turns)),
      depth: DELEGATION_LIMITS.depth,
      children: DELEGATION_LIMITS.children,
    },
    daily: { costUsd: notNegative('worldtree.daily.costUsd', DAILY_LIMITS.costUsd), allTokens: notNegative('worldtree.daily.allTokens', DAILY_LIMITS.allTokens) },
    compactAt: positive('worldtree.compactAt', COMPACT_AT),
    commitHooks: oneOf('worldtree.commitHooks', ['run', 'skip']),
    checks: oneOf('worldtree.checks', ['warm', 'cold']),
    submodules: oneOf('worldtree.submodules', ['leave', 'init']),
    worktreeBytes: notNegative('worldtree.worktree.diskBudgetGb', DISK_BUDGET_GB) * 1024 ** 3,
    worktreeCheckout: oneOf('worldtree.worktree.checkout', ['auto', 'full', 'sparse']),
    tape: parseTapeSetting(value('worldtree.tape')),
    worktreeRoot: typeof value('worldtree.worktreeRoot') === 'string' ? String(value('worldtree.worktreeRoot')) : '',
    // What is not a clear no leaves it on.
    sandboxEnabled: value('worldtree.sandbox.enabled') !== false,
    network: oneOf('worldtree.sandbox.network', ['ask', 'off', 'registries', 'on']),
    furtherHosts: hostNames(value('worldtree.sandbox.hosts')),
  };
}

/** How accepted changes join a repository's branch; may differ by folder of the workspace. */
export function readAcceptStyle(checkout: vscode.Uri): 'auto' | 'squash' | 'merge' {
  return oneOf('worldtree.acceptStyle', ['auto', 'squash', 'merge'], checkout);
}

function value(key: SettingKey, scope?: vscode.Uri): unknown {
  return vscode.workspace.getConfiguration(undefined, scope ?? null).get<unknown>(key);
}

function hostNames(found: unknown): readonly string[] {
  return Array.isArray(found) ? found.filter((host): host is string => typeof host === 'string' && isHostName(host)) : [];
}

/** A limit that is not a number is the default, never no limit. */
function positive(key: SettingKey, fallback: number): number {
  const found = value(key);
  return typeof found === 'number' && Number.isFinite(found) && found > 0 ? found : fallback;
}

function notNegative(key: SettingKey, fallback: number): number {
  const found = value(key);
  return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : fallback;
}

function oneOf<T extends string>(key: SettingKey, allowed: readonly [T, ...T[]], scope?: vscode.Uri): T {
  const found = value(key, scope);
  return allowed.find((a) => a === found) ?? allowed.find((a) => a === SETTINGS[key].default) ?? allowed[0];
}
