import type { z } from 'zod';
import { jsonState, parseJson } from './jsonText.ts';
import { toolArguments, type ToolArguments, type ToolName } from './catalogue.ts';

/** Typed arguments, or words for the model about what is wrong, field by field (rule 12). */
export type ParsedArguments<N extends ToolName> =
  | { readonly ok: true; readonly args: ToolArguments<N> }
  | { readonly ok: false; readonly words: string };

/**
 * Arguments as a model wrote them. What can mean only one thing is taken for it: an empty text for no arguments,
 * a JSON string that holds a JSON object for that object, null for an optional argument that is left out, and a
 * number or boolean in quotes. Anything else is answered, never guessed.
 */
export function parseArguments<N extends ToolName>(name: N, text: string): ParsedArguments<N> {
  const value = argumentsObject(text);
  if (value !== undefined) return validateArguments(name, value);
  return {
    ok: false,
    words: jsonState(text) === 'open'
      ? `The arguments of ${name} stop in the middle: they are no whole JSON object. Nothing was done. Call ${name} again; write long content in several smaller calls.`
      : `The arguments of ${name} are not a JSON object. Nothing was done. Call it again with ${usageOf(name)}.`,
  };
}

/** The same for arguments that are a value already. */
export function validateArguments<N extends ToolName>(name: N, value: unknown): ParsedArguments<N> {
  if (!isRecord(value)) return { ok: false, words: `The arguments of ${name} must be a JSON object. Nothing was done. Call it again with ${usageOf(name)}.` };
  const shape: Readonly<Record<string, z.ZodType>> = toolArguments[name].shape;
  const plain = Object.fromEntries(Object.entries(value).flatMap(([key, given]) => {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return field === undefined ? [[key, given] as const] : plainField(key, given, field);
  }));
  const parsed = toolArguments[name].safeParse(plain);
  if (parsed.success) return { ok: true, args: parsed.data as ToolArguments<N> };
  const lines = parsed.error.issues.flatMap((issue) => issueWords(name, issue, plain, shape));
  return { ok: false, words: `The arguments of ${name} are not valid. Nothing was done.\n${lines.map((line) => `- ${line}`).join('\n')}\nCall it again with ${usageOf(name)}.` };
}

/** The object that a text of arguments stands for; undefined where it stands for none. */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  const inner = typeof value === 'string' ? parseJson(value) : value;
  return isRecord(inner) ? inner : undefined;
}

function plainField(key: string, given: unknown, field: z.ZodType): readonly (readonly [string, unknown])[] {
  if (field.safeParse(given).success) return [[key, given]];
  if (given === null && field.safeParse(undefined).success) return [];
  if (typeof given === 'string') {
    const value = parseJson(given.trim());
    if ((typeof value === 'number' || typeof value === 'boolean') && field.safeParse(value).success) return [[key, value]];
  }
  return [[key, given]];
}

function issueWords(name: ToolName, issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>, shape: Readonly<Record<string, z.ZodType>>): readonly string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${key}: ${name} has no such argument`);
  const key = String(issue.path[0] ?? '');
  const about = shape[key]?.description;
  const meaning = about === undefined ? '' : ` (${about})`;
  if (!Object.hasOwn(given, key)) return [`${key}: missing${meaning}`];
  return [`${key}: ${issue.message.replace(/^Invalid input: /, '')}; you gave ${shortly(given[key])}${meaning}`];
}

function usageOf(name: ToolName): string {
  const fields = Object.entries<z.ZodType>(toolArguments[name].shape).map(([key, field]) => (field.safeParse(undefined).success ? `${key}?` : key));
  return `{ ${fields.join(', ')} }`;
}

function shortly(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
