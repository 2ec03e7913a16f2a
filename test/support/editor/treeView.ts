import type { Locator, Page } from 'playwright-core';
import { chooseInMenu, isEnabled } from './contextMenu.ts';
import { eventually } from './eventually.ts';
import { visibleText } from './visibleText.ts';

interface TreeRow {
  readonly label: string;
  readonly description: string;
  /** 1 at the top. */
  readonly level: number;
  /** Undefined where nothing can be below. */
  readonly expanded: boolean | undefined;
  /** What a screen reader says. */
  readonly ariaLabel: string;
}

/** A row by its label, or by the labels of its ancestors and its own. A regular expression is tried on label and description together. */
type RowPath = string | RegExp | readonly (string | RegExp)[];

interface PlacedRow extends TreeRow {
  readonly element: Locator;
}

/** The little of the page's DOM that is read here; the project is compiled without the browser's types. */
interface PageElement {
  getAttribute(name: string): string | null;
  querySelector(selector: string): { readonly textContent: string | null } | null;
}

/** A tree as a person uses it: by what the rows say. Rows that are scrolled away are not seen. */
export class TreeView {
  readonly #page: Page;
  readonly #root: Locator;
  readonly #name: string;

  constructor(page: Page, root: Locator, name: string) {
    this.#page = page;
    this.#root = root;
    this.#name = name;
  }

  async rows(): Promise<readonly TreeRow[]> {
    return (await this.#placed()).map(({ label, description, level, expanded, ariaLabel }) => ({ label, description, level, expanded, ariaLabel }));
  }

  /** Waits for a row, opening what is above it, and returns it. */
  async row(path: RowPath): Promise<TreeRow> {
    const { label, description, level, expanded, ariaLabel } = await this.#reveal(path);
    return { label, description, level, expanded, ariaLabel };
  }

  async waitUntilGone(path: RowPath): Promise<void> {
    await eventually(`"${String(path)}" to leave ${this.#name}`, async () => (find(await this.#placed(), steps(path)) === undefined ? true : undefined), { seen: () => this.#seen() });
  }

  async click(path: RowPath): Promise<void> {
    await (await this.#reveal(path)).element.locator('.monaco-icon-label, .monaco-tl-contents').first().click();
  }

  async expand(path: RowPath): Promise<void> {
    await this.#open(steps(path));
  }

  async rightClick(path: RowPath, menuItem: string | readonly string[]): Promise<void> {
    // A command may be grey until its extension is ready; a person would close the menu and look again.
    await eventually(`"${String(menuItem)}" to be enabled`, async () => {
      await this.openMenu(path);
      if (typeof menuItem !== 'string' || await isEnabled(this.#page, menuItem)) return true;
      await this.#page.keyboard.press('Escape');
      await this.#page.locator('.monaco-menu').first().waitFor({ state: 'detached' });
      return undefined;
    });
    await chooseInMenu(this.#page, menuItem);
  }

  /** Opens a row's context menu and leaves it open. */
  async openMenu(path: RowPath): Promise<void> {
    await (await this.#reveal(path)).element.locator('.label-name').first().click({ button: 'right' });
    await this.#page.locator('.monaco-menu').first().waitFor();
  }

  /**
   * Clicks one of the small buttons that a row shows under the pointer. A row that is drawn anew between the press and
   * the release of the button swallows the click; where `opened` says what the click opens, it is clicked again, as a person would.
   */
  async clickInline(path: RowPath, action: string, opened?: () => Promise<boolean>): Promise<void> {
    const click = async () => {
      const { element } = await this.#reveal(path);
      await element.hover();
      await element.locator(`.actions .action-label[aria-label^="${action}"]`).click();
    };
    await click();
    if (opened === undefined) return;
    await eventually(`"${action}" to open something`, async () => {
      if (await eventually(action, async () => (await opened()) || undefined, { timeout: 15_000 }).catch(() => false)) return true;
      await click();
      return undefined;
    });
  }

  async #reveal(path: RowPath): Promise<PlacedRow> {
    const wanted = steps(path);
    if (wanted.length > 1) await this.#open(wanted.slice(0, -1));
    return this.#wait(wanted);
  }

  async #open(wanted: readonly (string | RegExp)[]): Promise<void> {
    for (let depth = 1; depth <= wanted.length; depth++) {
      const part = wanted.slice(0, depth);
      const row = await this.#wait(part);
      if (row.expanded === false) await row.element.locator('.monaco-tl-twistie').click();
      await eventually(`"${part.join(' › ')}" to open`, async () => (find(await this.#placed(), part)?.expanded === true ? true : undefined));
    }
  }

  async #wait(wanted: readonly (string | RegExp)[]): Promise<PlacedRow> {
    return eventually(`"${wanted.join(' › ')}" in ${this.#name}`, async () => find(await this.#placed(), wanted), { seen: () => this.#seen() });
  }

  async #seen(): Promise<string> {
    const lines = (await this.#placed()).map(({ level, label, description }) => `${'  '.repeat(level - 1)}${label} ${description}`);
    return lines.length === 0 ? 'no rows' : `\n${lines.join('\n')}`;
  }

  async #placed(): Promise<readonly PlacedRow[]> {
    // One round trip for all rows, so that they belong to one moment.
    const raw = await this.#root.locator('.monaco-list-row[role="treeitem"]').evaluateAll((elements: readonly PageElement[]) =>
      elements.map((row) => ({
        index: Number(row.getAttribute('data-index')),
        level: Number(row.getAttribute('aria-level')),
        expanded: row.getAttribute('aria-expanded'),
        ariaLabel: row.getAttribute('aria-label') ?? '',
        label: row.querySelector('.label-name')?.textContent ?? row.querySelector('.monaco-tl-contents')?.textContent ?? '',
        description: row.querySelector('.label-description')?.textContent ?? '',
      })));
    return raw.toSorted((a, b) => a.index - b.index).map(({ index, level, expanded, ariaLabel, label, description }) => ({
      level,
      ariaLabel,
      expanded: expanded === null ? undefined : expanded === 'true',
      label: visibleText(label),
      description: visibleText(description),
      element: this.#root.locator(`.monaco-list-row[role="treeitem"][data-index="${index}"]`),
    }));
  }
}

function steps(path: RowPath): readonly (string | RegExp)[] {
  return typeof path === 'string' || path instanceof RegExp ? [path] : path;
}

/** The first step is looked for at any level; each further one only directly below the one before. */
function find(rows: readonly PlacedRow[], wanted: readonly (string | RegExp)[], level?: number): PlacedRow | undefined {
  const [first, ...rest] = wanted;
  if (first === undefined) return undefined;
  for (const [at, row] of rows.entries()) {
    if ((level !== undefined && row.level !== level) || !matches(row, first)) continue;
    if (rest.length === 0) return row;
    const end = rows.findIndex((other, index) => index > at && other.level <= row.level);
    const found = find(rows.slice(at + 1, end === -1 ? undefined : end), rest, row.level + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function matches({ label, description }: TreeRow, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? label === wanted : wanted.test(`${label} ${description}`);
}
