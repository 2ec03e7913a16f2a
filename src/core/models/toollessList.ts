import { z } from 'zod';
import { modelName, slotsKey, type ModelRef } from '../episode/model.ts';

/** Models that were found not to call tools, with the reason: as remembered on this machine, until a test says otherwise. */
export type ToollessList = Readonly<Record<string, string>>;

const list = z.record(z.string(), z.string());

export function parseToolless(remembered: unknown): ToollessList {
  return list.safeParse(remembered).data ?? {};
}

/** Why an agent cannot work with it; null where nothing speaks against it. */
export function toollessReason(known: ToollessList, model: ModelRef): string | null {
  return known[nameOf(model)] ?? null;
}

/** @param reason null where a test showed that it calls tools. */
export function withTools(known: ToollessList, model: ModelRef, reason: string | null): ToollessList {
  const others = Object.fromEntries(Object.entries(known).filter(([name]) => name !== nameOf(model)));
  return reason === null ? others : { ...others, [nameOf(model)]: reason };
}

/** One server has many models, and profiles of one server speak to it in different ways. */
function nameOf(model: ModelRef): string {
  return `${model.kind === 'openai' ? `openai ${model.profile} ${model.baseUrl}` : slotsKey(model)} ${modelName(model)}`;
}
