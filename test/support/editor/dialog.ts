import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { visibleText } from './visibleText.ts';

/** The modal question in the middle of the window. */
export class Dialog {
  readonly #box: Locator;

  constructor(page: Page) {
    this.#box = page.locator('.monaco-dialog-box');
  }

  /** Waits for the dialog and returns its message and detail. */
  async text(): Promise<string> {
    const message = visibleText(await this.#box.locator('.dialog-message-text').textContent());
    const detail = this.#box.locator('.dialog-message-detail');
    return (await detail.count()) === 0 ? message : `${message} ${visibleText(await detail.textContent())}`.trim();
  }

  async buttons(): Promise<readonly string[]> {
    await this.#box.waitFor();
    return (await this.#box.locator('.dialog-buttons .monaco-button').allTextContents()).map(visibleText);
  }

  async answer(button: string): Promise<void> {
    const found = await eventually(`a dialog with the button "${button}"`, async () => {
      for (const candidate of await this.#box.locator('.dialog-buttons .monaco-button').all()) if (visibleText(await candidate.textContent()) === button) return candidate;
      return undefined;
    }, { seen: async () => ((await this.#box.count()) === 0 ? 'no dialog' : `${await this.text()} [${(await this.buttons()).join(' | ')}]`) });
    await found.click();
    await this.#box.waitFor({ state: 'detached' });
  }
}
