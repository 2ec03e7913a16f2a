import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { visibleText } from './visibleText.ts';

/** The messages in the lower right corner. */
export class Notifications {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async texts(): Promise<readonly string[]> {
    const texts = await this.#items().locator('.notification-list-item-message').allTextContents();
    return texts.map(visibleText);
  }

  /** Waits for a message and returns its text. */
  async waitFor(pattern: RegExp): Promise<string> {
    return visibleText(await (await this.#item(pattern)).locator('.notification-list-item-message').textContent());
  }

  /** Clicks a button of the message that matches, or of the newest one that has such a button. */
  async click(button: string, pattern = /./): Promise<void> {
    const found = await eventually(`a message with the button "${button}"`, async () => {
      for (const item of await this.#matching(pattern)) {
        for (const candidate of await item.locator('.monaco-button').all()) if (visibleText(await candidate.textContent()) === button) return candidate;
      }
      return undefined;
    }, { seen: () => this.#seen() });
    await found.click();
  }

  async buttons(pattern: RegExp): Promise<readonly string[]> {
    const texts = await (await this.#item(pattern)).locator('.monaco-button').allTextContents();
    return texts.map(visibleText);
  }

  async dismiss(pattern: RegExp): Promise<void> {
    const item = await this.#item(pattern);
    await item.hover();
    await item.locator('.codicon-notifications-clear').click();
  }

  #items(): Locator {
    return this.#page.locator('.notifications-toasts .notification-list-item, .notifications-center .notification-list-item');
  }

  async #item(pattern: RegExp): Promise<Locator> {
    return eventually(`a message like ${String(pattern)}`, async () => (await this.#matching(pattern))[0], { seen: () => this.#seen() });
  }

  async #matching(pattern: RegExp): Promise<readonly Locator[]> {
    const found: Locator[] = [];
    for (const item of await this.#items().all()) if (pattern.test(visibleText(await item.locator('.notification-list-item-message').textContent({ timeout: 1000 })))) found.push(item);
    return found;
  }

  async #seen(): Promise<string> {
    const texts = await this.texts();
    return texts.length === 0 ? 'no message' : texts.join(' | ');
  }
}
