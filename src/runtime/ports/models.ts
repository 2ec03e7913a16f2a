import type { Message, ModelRef, ModelReply, ToolDefinition } from '../../core/episode/model.ts';

export interface ModelRequest {
  readonly model: ModelRef;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
  /** Text as it streams, for the live view; deltas are no events. */
  readonly onText: (delta: string) => void;
}

export interface Models {
  /** One request, no retry: the scheduler's back-off decides. Throws `ModelError`. */
  ask(request: ModelRequest): Promise<ModelReply>;
}

export { ModelError, type ModelFailure } from '../../core/episode/modelError.ts';
