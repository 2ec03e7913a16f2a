import type { Frame, Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { visibleText } from './visibleText.ts';

export type Side = 'original' | 'modified';

/** The middle of the window: tabs, editors, diffs and panels. */
export class EditorArea {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async tabs(): Promise<readonly string[]> {
    return (await this.#page.locator('.tabs-container .tab .label-name').allTextContents()).map(visibleText);
  }

  async activeTab(): Promise<string> {
    return visibleText(await this.#page.locator('.editor-group-container.active .tabs-container .tab.active .label-name').textContent());
  }

  async waitForTab(title: string | RegExp): Promise<void> {
    const fits = (tab: string): boolean => (typeof title === 'string' ? tab === title : title.test(tab));
    await eventually(`the tab ${String(title)}`, async () => ((await this.tabs()).some(fits) ? true : undefined), { seen: async () => (await this.tabs()).join(' | ') });
  }

  /** Clicks a button in the editor's title bar, by the beginning of its name. */
  async clickTitleAction(name: string): Promise<void> {
    await this.#page.locator(`.editor-group-container.active .title .action-label[aria-label^="${name}"]`).click();
  }

  /** The visible lines of a side of the diff; `file` chooses among those of a multi-file diff. */
  async diffText(side: Side, file?: string): Promise<string> {
    const editor = this.#diffSide(side, file);
    await editor.locator('.view-line').first().waitFor();
    const lines = await editor.locator('.view-line').evaluateAll((elements: readonly PageLine[]) => elements.map((line) => ({ top: parseFloat(line.style.top), text: line.textContent ?? '' })));
    return lines.toSorted((a, b) => a.top - b.top).map(({ text }) => text.replaceAll('\u00A0', ' ')).join('\n');
  }

  /** Types at the end of a line of the proposed side, or at the end of the file. */
  async typeIntoModified(text: string, options: { readonly file?: string; readonly line?: number } = {}): Promise<void> {
    const editor = this.#diffSide('modified', options.file);
    await editor.locator('.view-line').nth((options.line ?? 1) - 1).click();
    await this.#page.keyboard.press(options.line === undefined ? 'Control+End' : 'End');
    await this.#page.keyboard.type(text);
  }

  async save(): Promise<void> {
    await this.#page.keyboard.press('Control+s');
  }

  /** The paths of the files of a multi-file diff, as their headers tell them. */
  async multiDiffTitles(): Promise<readonly string[]> {
    await this.#page.locator('.multiDiffEntry').first().waitFor();
    const headers = await this.#page.locator('.multiDiffEntry .file-path .title.modified').all();
    return Promise.all(headers.map(async (header) => {
      const [name, ...folder] = (await header.locator('.label-name, .label-description').allTextContents()).map(visibleText);
      return [...folder, name].join('/');
    }));
  }

  /** The inner document of a panel, found by something that it shows. */
  async webview(selector: string): Promise<Frame> {
    return eventually(`a panel with ${selector}`, async () => {
      for (const frame of this.#page.frames()) if (frame !== this.#page.mainFrame() && (await frame.locator(selector).count()) > 0) return frame;
      return undefined;
    });
  }

  #diffSide(side: Side, file: string | undefined): Locator {
    const within = file === undefined ? this.#page.locator('.editor-group-container.active') : this.#page.locator('.multiDiffEntry').filter({ has: this.#page.locator('.title.modified').getByText(file, { exact: true }) });
    return within.locator(`.monaco-diff-editor .editor.${side}`).first();
  }
}

/** The little of the page's DOM that is read here; the project is compiled without the browser's types. */
interface PageLine {
  readonly textContent: string | null;
  readonly style: { readonly top: string };
}
