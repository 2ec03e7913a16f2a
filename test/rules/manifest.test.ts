import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMANDS, CONTEXT_KEYS, SETTINGS, VIEW_CONTAINER, VIEWS, CATEGORY, type CommandContribution, type SettingContribution } from '../../src/editor/contributions.ts';
import { projectRoot } from '../support/projectRoot.ts';

interface MenuItem {
  readonly command: string;
  readonly when?: string;
}

interface Manifest {
  readonly engines: { readonly vscode: string };
  readonly extensionKind: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly supported: unknown }; readonly virtualWorkspaces: { readonly supported: unknown } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string; readonly icon?: string; readonly enablement?: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly name: string; readonly icon: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string; readonly icon: string }[] };
    readonly viewsWelcome: readonly { readonly view: string; readonly when?: string; readonly contents: string }[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly keybindings: readonly MenuItem[];
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly type: string; readonly default: unknown; readonly scope: string; readonly description: string; readonly enum?: readonly string[]; readonly minimum?: number }>> };
  };
}

const manifest = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as Manifest;
const { contributes } = manifest;
const commands: Readonly<Record<string, CommandContribution>> = COMMANDS;
const settings: Readonly<Record<string, SettingContribution>> = SETTINGS;
const menuItems = [...Object.values(contributes.menus).flat(), ...contributes.keybindings];

describe('the manifest says what the typed list of contributions says', () => {
  test('the same commands, with the same words', () => {
    const declared = Object.fromEntries(contributes.commands.map(({ command, ...rest }) => [command, rest]));
    const typed = Object.fromEntries(Object.entries(commands).map(([id, { title, icon, enablement }]) => [id, { title, category: CATEGORY, ...(icon !== undefined && { icon }), ...(enablement !== undefined && { enablement }) }]));
    expect(declared).toEqual(typed);
  });

  test('the same views, in the same order, Review first', () => {
    expect(contributes.views[VIEW_CONTAINER]?.map(({ id, name }) => [id, name])).toEqual(Object.entries(VIEWS).map(([id, { name }]) => [id, name]));
    expect(contributes.views[VIEW_CONTAINER]?.[0]?.id).toBe('worldtree.review');
    expect(contributes.viewsContainers.activitybar.map(({ id }) => id)).toEqual([VIEW_CONTAINER]);
  });

  test('the same settings, with the same types, defaults, scopes and words', () => {
    const declared = Object.fromEntries(Object.entries(contributes.configuration.properties).map(([key, { type, default: value, scope, description, enum: allowed, minimum }]) => [key, { type, default: value, scope, description, enum: allowed, minimum }]));
    const typed = Object.fromEntries(Object.entries(settings).map(([key, { type, default: value, scope, description, enum: allowed, minimum }]) => [key, { type, default: value, scope, description, enum: allowed, minimum }]));
    expect(declared).toEqual(typed);
  });
});

describe('nothing in the manifest points to something that is not there', () => {
  test('menus and keys name declared commands', () => {
    const unknown = menuItems.map(({ command }) => command).filter((command) => commands[command] === undefined);
    expect(unknown).toEqual([]);
  });

  test('welcome texts stand in declared views and their buttons name commands that exist', () => {
    const builtIn = ['vscode.openFolder', 'git.init', 'git.clone', 'workbench.trust.manage'];
    const buttons = contributes.viewsWelcome.flatMap(({ contents }) => [...contents.matchAll(/\(command:([\w.]+)\)/g)].map(([, command]) => command ?? ''));
    expect(buttons.filter((command) => commands[command] === undefined && !builtIn.includes(command))).toEqual([]);
    expect(contributes.viewsWelcome.filter(({ view }) => !Object.hasOwn(VIEWS, view))).toEqual([]);
  });

  test('when clauses read declared context keys and views, and every context key is read', () => {
    const clauses = [...menuItems, ...contributes.viewsWelcome].flatMap(({ when }) => (when === undefined ? [] : [when]));
    const named = clauses.flatMap((clause) => [...clause.replaceAll(/\/[^/]*\//g, '').matchAll(/\bworldtree\.[\w.]+/g)].map(([name]) => name));
    const known: readonly string[] = [...CONTEXT_KEYS, ...Object.keys(VIEWS)];
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    expect(CONTEXT_KEYS.filter((key) => !named.includes(key))).toEqual([]);
  });

  test('commands that only make sense on a row stay out of the palette, all others are in it', () => {
    const hidden = (contributes.menus['commandPalette'] ?? []).filter(({ when }) => when === 'false').map(({ command }) => command);
    expect(new Set(hidden)).toEqual(new Set(Object.entries(commands).filter(([, { palette }]) => !palette).map(([id]) => id)));
  });

  test('pictures are files of this project', () => {
    const icons = [...contributes.viewsContainers.activitybar.map(({ icon }) => icon), ...Object.values(contributes.views).flat().map(({ icon }) => icon)];
    expect(icons.filter((icon) => !existsSync(path.join(projectRoot, icon)))).toEqual([]);
  });
});

describe('a repository can only narrow (rule 10)', () => {
  test.for(['worldtree.models', 'worldtree.limits.costUsd', 'worldtree.limits.freshTokens', 'worldtree.limits.allTokens', 'worldtree.limits.minutes', 'worldtree.limits.turns', 'worldtree.daily.costUsd', 'worldtree.daily.allTokens', 'worldtree.commitHooks', 'worldtree.checks', 'worldtree.submodules', 'worldtree.tape', 'worldtree.worktreeRoot'])('%s cannot be set by a repository', (key) => {
    expect(contributes.configuration.properties[key]?.scope).toBe('machine');
  });

  test('an untrusted workspace shows views, a virtual one nothing, and the extension runs where the files are', () => {
    expect(manifest.capabilities.untrustedWorkspaces.supported).toBe('limited');
    expect(manifest.capabilities.virtualWorkspaces.supported).toBe(false);
    expect(manifest.extensionKind).toEqual(['workspace']);
    expect(manifest.engines.vscode).toBe('^1.112.0');
  });

  test('whatever starts, runs or decides something needs a trusted workspace', () => {
    const untrusted = Object.entries(commands).filter(([, { enablement }]) => enablement === undefined).map(([id]) => id);
    expect(untrusted).toEqual([
      'worldtree.stopEverything', 'worldtree.showStatus', 'worldtree.whereDidItGo', 'worldtree.chooseModel', 'worldtree.addModel', 'worldtree.testModel', 'worldtree.removeKey', 'worldtree.permissions', 'worldtree.openSettings',
      'worldtree.openChanges', 'worldtree.openChangesSinceLooked', 'worldtree.openFileChange', 'worldtree.openCheckoutFile', 'worldtree.useText', 'worldtree.discardText', 'worldtree.showAgent', 'worldtree.showTranscript', 'worldtree.openContext',
    ]);
  });
});
