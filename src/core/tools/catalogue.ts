import { z } from 'zod';
import type { ToolDefinition } from '../episode/model.ts';

const OUTSIDE = 'true for a file outside your folder that the goal cannot do without, such as tests that the project keeps elsewhere. It lies in your worktree like any other; when you finish, the person is asked whether it becomes part of the change.';

/**
 * The one tool list of every role in a tree of episodes, so that a provider's cache hits across roles. A tool that
 * a role may not use is refused by the host, not taken off the list. Every schema is an object of plain types: weak
 * models understand nothing else.
 */
export const toolArguments = {
  list_files: z.strictObject({
    folder: z.string().optional().describe('Folder relative to the repository root; "." is the root. Default: your folder.'),
    depth: z.number().int().min(1).max(20).optional().describe('How many levels to go down. Default 3.'),
  }),
  read_file: z.strictObject({
    path: z.string().describe('File relative to the repository root.'),
    from_line: z.number().int().min(1).optional().describe('First line to show, counted from 1. Default 1.'),
    lines: z.number().int().min(1).optional().describe('How many lines to show. Default: as many as fit.'),
  }),
  search: z.strictObject({
    pattern: z.string().describe('Regular expression (JavaScript syntax), matched line by line.'),
    folder: z.string().optional().describe('Only files under this folder. Default: the whole repository.'),
    glob: z.string().optional().describe('Only files whose path matches, for example "**/*.ts".'),
    ignore_case: z.boolean().optional(),
  }),
  edit_file: z.strictObject({
    path: z.string().describe('File relative to the repository root.'),
    old_text: z.string().describe('Text to replace, exactly as it stands in the file, with enough lines around it to occur once.'),
    new_text: z.string().describe('Text to put in its place.'),
    all: z.boolean().optional().describe('Replace every occurrence instead of exactly one.'),
    outside: z.boolean().optional().describe(OUTSIDE),
  }),
  write_file: z.strictObject({
    path: z.string().describe('File relative to the repository root. Folders are made as needed.'),
    content: z.string().describe('The whole content. An existing file is replaced.'),
    force: z.boolean().optional().describe('Include the file in your change although an ignore rule matches it.'),
    outside: z.boolean().optional().describe(OUTSIDE),
  }),
  run: z.strictObject({
    command: z.string().describe('Shell command. Each call is a fresh shell: nothing carries over but files.'),
    folder: z.string().optional().describe('Where to run it, relative to the repository root; "." is the root. Default: your folder. Paths inside the command are relative to where it runs.'),
    timeout_seconds: z.number().int().min(1).max(3600).optional().describe('Default 120.'),
  }),
  finish: z.strictObject({
    subject: z.string().describe('One line that says what the change does, as the first line of a commit message; 72 characters at most.'),
    report: z.string().describe('What you did and why, what you checked and how it came out, what is left. The person reads this before they decide.'),
    include_outside: z.boolean().optional().describe('If you changed files outside your folder: true asks the person to allow them. Otherwise undo those changes before you finish.'),
  }),
  read_history: z.strictObject({
    turn: z.number().int().min(1).optional().describe('A turn of yours, to read it word for word. Together with text: look only from this turn on.'),
    from_line: z.number().int().min(1).optional().describe('Only with turn: first line of it to show, counted from 1. Default 1.'),
    text: z.string().min(1).optional().describe('Words to look for in everything that was said, called and answered; upper and lower case count the same.'),
  }),
} as const;

export type ToolName = keyof typeof toolArguments;
export type ToolArguments<N extends ToolName> = z.infer<(typeof toolArguments)[N]>;

const descriptions: Record<ToolName, string> = {
  list_files: 'Lists files and folders below a folder. Ignored files are left out, unless you name an ignored folder.',
  read_file: 'Shows a text file with line numbers. Long files are cut; ask for the next lines with from_line.',
  search: 'Finds lines that match a pattern in the files of the repository. Ignored files are left out, unless you name an ignored folder.',
  edit_file: 'Replaces text in an existing file. The text must match exactly and occur once. Line endings, encoding and file mode are kept.',
  write_file: 'Writes a whole file. Use edit_file to change part of an existing file.',
  run: 'Runs a shell command in your worktree, for example the tests. Its output and exit code come back; of several commands, in a pipe or after one another, the exit code is that of the last one. git is for reading: the harness commits your change.',
  finish: 'Ends your work and proposes everything you changed as one change. Call it alone, when the work is done and checked.',
  read_history: 'Shows what you did before, also what is no longer in your view. Without arguments: a list of your turns. Then give a turn, or text to look for.',
};

/** Tools that change nothing: after a crash a call is simply made again. */
export const READING_TOOLS: ReadonlySet<ToolName> = new Set(['list_files', 'read_file', 'search', 'read_history']);

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(toolArguments, name);
}

/** The same bytes for every role, depth and turn. */
export const TOOL_LIST: readonly ToolDefinition[] = (Object.keys(toolArguments) as ToolName[]).map((name) => ({
  name,
  description: descriptions[name],
  parameters: parametersOf(name),
}));

function parametersOf(name: ToolName): Record<string, unknown> {
  const schema = z.toJSONSchema(toolArguments[name], {
    override: ({ jsonSchema }) => {
      // What every number has is noise to a model.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}
