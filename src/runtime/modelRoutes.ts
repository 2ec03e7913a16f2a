import type { ModelReply } from '../core/episode/model.ts';
import { NO_USAGE } from '../core/limits/usage.ts';
import { surveyReply } from '../core/survey/survey.ts';
import { unreachable } from '../core/exhaustive.ts';
import { ModelError, type ModelRequest, type Models } from './ports/models.ts';

/** Each kind of model to the adapter that speaks to it. Survey answers here: it is pure and costs nothing. */
export function modelRoutes(routes: { readonly openai: Models; readonly vscode: Models }): Models {
  return {
    ask(request: ModelRequest): Promise<ModelReply> {
      const { kind } = request.model;
      switch (kind) {
        case 'survey': return Promise.resolve({ message: surveyReply(request.messages), end: 'complete', usage: NO_USAGE, estimated: false });
        case 'openai': return routes.openai.ask(request);
        case 'vscode': return routes.vscode.ask(request);
        case 'elsewhere': return Promise.reject(new ModelError({ kind: 'fatal', why: 'model' }, 'This agent’s model belongs to another clone.', 'Send its change back with Rework, and choose a model of this machine.'));
        default: return unreachable(kind);
      }
    },
  };
}
