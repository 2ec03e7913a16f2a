import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { visibleText } from './visibleText.ts';

/** The box at the top of the window: command palette, input boxes and lists to pick from. */
export class QuickInput {
  readonly #page: Page;
  readonly #box: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.#box = page.locator('.quick-input-widget:visible');
  }

  async isOpen(): Promise<boolean> {
    return this.#box.isVisible();
  }

  async runCommand(title: string): Promise<void> {
    // The palette lists what is enabled when it opens, and a window that has just started enables more in a moment:
    // a person would close it and open it again.
    const row = await eventually(`"${title}" in the palette`, async () => {
      await this.#page.keyboard.press('F1');
      // Filled and not typed: every key would search all commands.
      await this.#input().fill(`>${title}`);
      const found = await eventually(title, () => this.#row(title), { timeout: 3000 }).catch(() => undefined);
      if (!found) await this.cancel();
      return found;
    });
    await row.click();
  }

  /** Types into the input box that is open and presses Enter. */
  async answer(text: string): Promise<void> {
    await this.type(text);
    await this.#input().press('Enter');
  }

  async type(text: string): Promise<void> {
    await this.#input().fill(text);
  }

  async pick(label: string | RegExp): Promise<void> {
    await (await this.row(label)).click();
  }

  /** Waits for a line of the list. */
  async row(label: string | RegExp): Promise<Locator> {
    return eventually(`"${String(label)}" in the list`, () => this.#row(label), { seen: async () => (await this.items()).join(' | ') });
  }

  /** Sets the marks of a list in which several may be chosen, and closes it. */
  async pickSeveral(labels: readonly string[]): Promise<void> {
    for (const label of labels) await this.pick(label);
    await this.#input().press('Enter');
  }

  /** The labels of the list, each with its description. */
  async items(): Promise<readonly string[]> {
    const texts = await this.#box.locator('.monaco-list-row .quick-input-list-rows').allTextContents();
    return texts.map(visibleText);
  }

  /** The line below the input: what is asked for, or what is wrong with the answer. */
  async message(): Promise<string> {
    await this.#input().waitFor();
    return visibleText(await this.#box.locator('.quick-input-message').textContent());
  }

  async title(): Promise<string> {
    await this.#input().waitFor();
    return visibleText(await this.#box.locator('.quick-input-title').textContent());
  }

  async value(): Promise<string> {
    return this.#input().inputValue();
  }

  async clickButton(tooltip: string): Promise<void> {
    await this.#box.locator(`.quick-input-titlebar .action-label[aria-label^="${tooltip}"], .quick-input-inline-action-bar .action-label[aria-label^="${tooltip}"]`).click();
  }

  async cancel(): Promise<void> {
    await this.#input().press('Escape');
    await this.#box.waitFor({ state: 'hidden' });
  }

  async waitUntilClosed(): Promise<void> {
    await this.#box.waitFor({ state: 'hidden' });
  }

  #input(): Locator {
    return this.#box.locator('.quick-input-box input');
  }

  async #row(label: string | RegExp): Promise<Locator | undefined> {
    for (const row of await this.#box.locator('.monaco-list-row').all()) {
      const text = visibleText(await row.locator('.label-name').first().textContent({ timeout: 1000 }));
      if (typeof label === 'string' ? text === label : label.test(text)) return row;
    }
    return undefined;
  }
}
