import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { projectRoot } from '../projectRoot.ts';
import { Dialog } from './dialog.ts';
import { EditorArea } from './editorArea.ts';
import { eventually } from './eventually.ts';
import { Notifications } from './notifications.ts';
import { patience } from './patience.ts';
import { QuickInput } from './quickInput.ts';
import { themeClass, themeSetting, type Theme } from './theme.ts';
import { TreeView } from './treeView.ts';
import { visibleText } from './visibleText.ts';
import type { RunningEditor } from './vscodeServer.ts';
import { workbenchAddress } from './workbenchAddress.ts';

/** VS Code's window, used as a person uses it: by what it shows. Everything waits until it can be done. */
export class Workbench {
  readonly page: Page;
  readonly quickInput: QuickInput;
  readonly notifications: Notifications;
  readonly dialog: Dialog;
  readonly editors: EditorArea;
  readonly explorer: TreeView;
  readonly #editor: RunningEditor;
  readonly #walk: string;
  #theme: Theme;
  #shots = 0;

  /** `walk` names the folder of the screenshots. */
  constructor(page: Page, editor: RunningEditor, walk: string, theme: Theme = 'light') {
    this.page = page;
    page.setDefaultTimeout(patience);
    this.quickInput = new QuickInput(page);
    this.notifications = new Notifications(page);
    this.dialog = new Dialog(page);
    this.editors = new EditorArea(page);
    this.explorer = new TreeView(page, page.locator('.explorer-folders-view'), 'the Explorer');
    this.#editor = editor;
    this.#walk = walk;
    this.#theme = theme;
  }

  /** Opens a folder and waits until its files are listed, the theme is drawn and extensions run. */
  async open(folder: string): Promise<void> {
    this.#editor.changeMachineSettings({ 'workbench.colorTheme': themeSetting[this.#theme] });
    await this.page.goto(workbenchAddress(this.#editor, folder));
    await this.page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
    await this.#usable();
  }

  /** Reloads the window, as after an update: extensions start again, editors and views come back. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.#usable();
  }

  /** Opens the folders on the way and chooses from the last one's context menu. */
  async rightClickInExplorer(pathSegments: readonly string[], menuItem: string | readonly string[]): Promise<void> {
    await this.openView('Explorer');
    await this.explorer.rightClick(pathSegments, menuItem);
  }

  async runCommand(title: string): Promise<void> {
    await this.quickInput.runCommand(title);
  }

  async answerInput(text: string): Promise<void> {
    await this.quickInput.answer(text);
  }

  async pick(label: string | RegExp): Promise<void> {
    await this.quickInput.pick(label);
  }

  async waitForNotification(pattern: RegExp): Promise<string> {
    return this.notifications.waitFor(pattern);
  }

  async clickNotificationButton(label: string, pattern?: RegExp): Promise<void> {
    await this.notifications.click(label, pattern);
  }

  async answerDialog(button: string): Promise<void> {
    await this.dialog.answer(button);
  }

  /** Shows a view container through its icon in the activity bar. */
  async openView(containerTitle: string): Promise<void> {
    const item = this.page.locator('.activitybar .action-item').filter({ has: this.page.locator(`.action-label[aria-label^="${containerTitle}"]`) }).first();
    await item.waitFor();
    // A click on the icon of the container that is shown would hide it.
    if ((await item.getAttribute('aria-expanded')) !== 'true') await item.locator('.action-label').click();
    await this.page.locator('.sidebar .composite.title h2', { hasText: containerTitle }).waitFor();
  }

  /** A tree in the side bar or panel, by its title. */
  view(title: string): TreeView {
    return new TreeView(this.page, this.#pane(title), `the view ${title}`);
  }

  /** The rows of a view, each with its description. */
  async treeRows(viewTitle: string): Promise<readonly string[]> {
    return (await this.view(viewTitle).rows()).map(({ label, description }) => `${label} ${description}`.trim());
  }

  /** What a view without rows says instead. */
  async viewWelcome(viewTitle: string): Promise<string> {
    return visibleText(await this.#pane(viewTitle).locator('.welcome-view-content').textContent());
  }

  /** Clicks a button in a view's title. */
  async clickViewAction(viewTitle: string, action: string): Promise<void> {
    const pane = this.#pane(viewTitle);
    await pane.hover();
    // A container that shows a single view puts the view's buttons into its own title.
    await pane.locator(`.pane-header .action-label[aria-label^="${action}"]`).or(this.page.locator(`.sidebar .composite.title .action-label[aria-label^="${action}"]`)).first().click();
  }

  /** Waits for an entry of the status bar whose text or name for screen readers matches. */
  async statusBarItem(pattern: RegExp): Promise<Locator> {
    return eventually(`a status bar entry like ${String(pattern)}`, async () => {
      for (const item of await this.page.locator('.statusbar-item').all()) {
        const label = (await item.getAttribute('aria-label', { timeout: 1000 })) ?? '';
        if (pattern.test(visibleText(await item.textContent({ timeout: 1000 }))) || pattern.test(label)) return item;
      }
      return undefined;
    }, { seen: async () => (await this.page.locator('.statusbar-item').allTextContents()).map(visibleText).join(' | ') });
  }

  /** Leaves Restricted Mode the way a person does: through the page that says what trust means. */
  async trustFolder(): Promise<void> {
    await this.runCommand('Workspaces: Manage Workspace Trust');
    await this.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
    await this.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor({ state: 'detached' });
    // Newer releases show that page above the window, older ones as a tab.
    const above = this.page.locator('.monaco-modal-editor-block');
    if (await above.isVisible()) await above.locator('.action-label[aria-label^="Close"]').first().click();
    await above.waitFor({ state: 'detached' });
  }

  async setTheme(theme: Theme): Promise<void> {
    this.#theme = theme;
    this.#editor.changeMachineSettings({ 'workbench.colorTheme': themeSetting[theme] });
    await this.#themeDrawn();
  }

  /** Keeps what a person sees now as `out/screenshots/<walk>/<theme>/<nn>-<name>.png`. */
  async screenshot(name: string): Promise<string> {
    const folder = path.join(projectRoot, 'out', 'screenshots', this.#walk, this.#theme);
    mkdirSync(folder, { recursive: true });
    this.#shots += 1;
    const file = path.join(folder, `${String(this.#shots).padStart(2, '0')}-${name}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  /** What the window says and asks at this moment, for the report of a failure. */
  async seen(): Promise<string> {
    const parts: [string, Promise<readonly string[]>][] = [['messages', this.notifications.texts()], ['list', this.quickInput.items()], ['tabs', this.editors.tabs()], ['status bar', this.page.locator('.statusbar-item').allTextContents()]];
    return (await Promise.all(parts.map(async ([name, texts]) => `${name}: ${(await texts.catch(() => [])).map(visibleText).join(' | ')}`))).join('\n');
  }

  #pane(title: string): Locator {
    return this.page.locator('.pane').filter({ has: this.page.locator('.pane-header').getByText(title, { exact: true }) });
  }

  async #usable(): Promise<void> {
    // One of the last things that VS Code draws by itself.
    await this.page.locator('[id="status.problems"]').waitFor();
    await this.#themeDrawn();
    // This notice stands in the status bar until the extension host answers.
    await this.page.locator('.statusbar-item', { hasText: 'Activating Extensions' }).waitFor({ state: 'detached' });
  }

  async #themeDrawn(): Promise<void> {
    await this.page.locator(`.monaco-workbench.${themeClass[this.#theme]}[class*="vscode-theme-"]`).waitFor();
  }
}
