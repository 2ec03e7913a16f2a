import { unreachable } from '../exhaustive.ts';
import type { Command } from './commands.ts';
import type { Decision } from './decision.ts';
import { answer } from './deciders/answer.ts';
import { delegate, worktreePrepared } from './deciders/delegate.ts';
import { importEpisode, publish } from './deciders/elsewhere.ts';
import { moveDone, moveDropped, moveUnclear, prepareMove } from './deciders/move.ts';
import { checkRan, look, toolRan } from './deciders/observe.ts';
import { propose } from './deciders/propose.ts';
import { recover } from './deciders/recover.ts';
import { modelAnswered, modelFailed, requestModel } from './deciders/request.ts';
import { cancel, message } from './deciders/steer.ts';
import { ask, end, stop } from './deciders/stop.ts';
import { addReason, reject, rework, withdrawReject } from './deciders/verdict.ts';
import type { WorldState } from './state.ts';

/** What a command leads to in this state. Pure: the same state and command always give the same facts and effects. */
export function decide(state: WorldState, command: Command): Decision {
  switch (command.type) {
    case 'delegate': return delegate(state, command);
    case 'worktree prepared': return worktreePrepared(state, command);
    case 'request model': return requestModel(state, command);
    case 'model answered': return modelAnswered(state, command);
    case 'model failed': return modelFailed(state, command);
    case 'tool ran': return toolRan(state, command);
    case 'ask': return ask(state, command);
    case 'answer': return answer(state, command);
    case 'propose': return propose(state, command);
    case 'end': return end(state, command);
    case 'stop': return stop(state, command);
    case 'message': return message(state, command);
    case 'cancel': return cancel(state, command);
    case 'look': return look(state, command);
    case 'check ran': return checkRan(state, command);
    case 'reject': return reject(state, command);
    case 'add reason': return addReason(state, command);
    case 'withdraw reject': return withdrawReject(state, command);
    case 'rework': return rework(state, command);
    case 'prepare move': return prepareMove(state, command);
    case 'move done': return moveDone(state, command);
    case 'move dropped': return moveDropped(state, command);
    case 'move unclear': return moveUnclear(state, command);
    case 'import': return importEpisode(state, command);
    case 'publish': return publish(state, command);
    case 'recover': return recover(state, command);
    default: return unreachable(command);
  }
}
