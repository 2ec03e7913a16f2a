import type { TemporaryRepository } from './temporaryRepository.ts';

/** Every ref with what it holds but the records of agents, which follow a fact when there is time. */
export function refsButRecords(repository: TemporaryRepository): string {
  return repository.git('for-each-ref').split('\n').filter((line) => !line.endsWith('/record')).join('\n');
}
