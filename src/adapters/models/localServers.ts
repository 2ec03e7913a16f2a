import { listModels } from './listModels.ts';

/** A model server found on this machine, with the models it offers. */
export interface LocalServer {
  readonly name: 'Ollama' | 'LM Studio';
  readonly baseUrl: string;
  readonly models: readonly string[];
}

interface LocalPorts {
  readonly ollama: number;
  readonly lmStudio: number;
}

const USUAL_PORTS: LocalPorts = { ollama: 11434, lmStudio: 1234 };

/**
 * Looks at the usual ports on loopback, all at once, for servers that list models. No key and no file goes there.
 * Takes `timeoutMs` at most (default 300), and gives an empty list where nothing answers.
 */
export async function findLocalServers(options: { readonly ports?: LocalPorts; readonly timeoutMs?: number } = {}): Promise<readonly LocalServer[]> {
  const ports = options.ports ?? USUAL_PORTS;
  const places = [{ name: 'Ollama', port: ports.ollama }, { name: 'LM Studio', port: ports.lmStudio }] as const;
  const found = await Promise.all(places.map(async ({ name, port }): Promise<LocalServer | null> => {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const models = await listModels(baseUrl, null, options.timeoutMs ?? 300);
    return models.length === 0 ? null : { name, baseUrl, models };
  }));
  return found.filter((server) => server !== null);
}
