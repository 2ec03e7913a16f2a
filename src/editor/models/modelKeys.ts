import type * as vscode from 'vscode';
import { originOf } from '../../core/models/origin.ts';
import type { ModelProfile } from '../../core/models/modelProfile.ts';

/** A key with the origin that it may be sent to. */
interface OriginKey {
  readonly key: string;
  /** As `new URL(...).origin` writes it. */
  readonly origin: string;
}

/** Keys are entered for an origin and kept under it (rule 10): a profile that is pointed elsewhere does not take one along. */
const PREFIX = 'worldtree.key:';
/** Secret storage cannot be listed: the origins that have a key stand here, without the keys. */
const ORIGINS = 'worldtree.keyOrigins';

export class ModelKeys {
  readonly #secrets: vscode.SecretStorage;
  readonly #memory: vscode.Memento;
  readonly #profiles: () => readonly ModelProfile[];
  readonly #environment: (name: string) => string | undefined;
  /** A profile that is being tried out and stands in no setting yet. */
  #draft: ModelProfile | undefined;

  constructor(options: { readonly secrets: vscode.SecretStorage; readonly memory: vscode.Memento; readonly profiles: () => readonly ModelProfile[]; readonly environment: (name: string) => string | undefined }) {
    this.#secrets = options.secrets;
    this.#memory = options.memory;
    this.#profiles = options.profiles;
    this.#environment = options.environment;
  }

  /** What the OpenAI-compatible models ask before each request. Null where the profile has no key. */
  async keyFor(profileId: string, origin: string): Promise<OriginKey | null> {
    const profile = this.#draft?.id === profileId ? this.#draft : this.#profiles().find((p) => p.id === profileId);
    // A variable named for one address is not read for another, should an episode remember an older base URL.
    if (profile?.keyEnvironment !== undefined && originOf(profile.baseUrl) === origin) {
      const key = this.#environment(profile.keyEnvironment)?.trim();
      return key === undefined || key === '' ? null : { key, origin };
    }
    const key = await this.#secrets.get(PREFIX + origin);
    return key === undefined ? null : { key, origin };
  }

  async has(origin: string): Promise<boolean> {
    return (await this.#secrets.get(PREFIX + origin)) !== undefined;
  }

  async store(origin: string, key: string): Promise<void> {
    await this.#secrets.store(PREFIX + origin, key);
    await this.#memory.update(ORIGINS, [...new Set([...this.origins(), origin])]);
  }

  async remove(origin: string): Promise<void> {
    await this.#secrets.delete(PREFIX + origin);
    await this.#memory.update(ORIGINS, this.origins().filter((o) => o !== origin));
  }

  /** Every key that could be sent from here: what must stand in no file. */
  async all(): Promise<readonly string[]> {
    const stored = await Promise.all(this.origins().map((origin) => this.#secrets.get(PREFIX + origin)));
    const named = [...this.#profiles(), ...(this.#draft === undefined ? [] : [this.#draft])].map(({ keyEnvironment }) => (keyEnvironment === undefined ? undefined : this.#environment(keyEnvironment)?.trim()));
    return [...stored, ...named].flatMap((key) => (key === undefined || key === '' ? [] : [key]));
  }

  origins(): readonly string[] {
    return this.#memory.get<readonly string[]>(ORIGINS, []);
  }

  async whileTrying<T>(profile: ModelProfile, action: () => Promise<T>): Promise<T> {
    this.#draft = profile;
    try {
      return await action();
    } finally {
      this.#draft = undefined;
    }
  }
}
