import * as vscode from 'vscode';
import { COMMANDS, type CommandId } from '../contributions.ts';
import { guarded } from '../tellPerson.ts';

export type Handler = (...args: unknown[]) => Promise<void>;

/** Every command has one: a list that lacks one does not type-check. */
export type Handlers = Readonly<Record<CommandId, Handler>>;

export function registerCommands(handlers: Handlers): vscode.Disposable {
  const ids = Object.keys(COMMANDS) as CommandId[];
  return vscode.Disposable.from(...ids.map((id) => vscode.commands.registerCommand(id, (...args: unknown[]) => guarded(`“${COMMANDS[id].title.replace('…', '')}”`, () => handlers[id](...args)))));
}
