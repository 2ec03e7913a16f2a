import * as vscode from 'vscode';

/** A row of one of the views, as plain data: two are the same when all that shows is the same. */
export interface Row {
  /** The same for the same thing as long as it lives: selection and expansion hang on it. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon?: { readonly name: string; readonly color?: string };
  /** Of a file: its name decides on icon and colour. */
  readonly file?: string;
  /** Words that `when` clauses of the manifest look for. */
  readonly context?: string;
  /** Open from the start; also without children, for those that come later. */
  readonly expanded?: boolean;
  /** What a click does. The row itself is handed to the command. */
  readonly command?: string;
  readonly children: readonly Row[];
  /** What commands need to know of this row; not compared. */
  readonly subject: unknown;
}

/**
 * Shows rows that are computed anew on every change, and tells VS Code only about those that look different, so that
 * hovers, selection and expansion outlive the ticking of a busy view.
 */
export class RowTree implements vscode.TreeDataProvider<Row> {
  readonly #compute: () => readonly Row[];
  readonly #changed = new vscode.EventEmitter<Row[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #shown: ReadonlyMap<string, ShownRow> = new Map();
  /** The objects that VS Code was given, by id. It knows a row by its object only: told about another one, it does nothing. */
  readonly #given = new Map<string, Row>();
  #top: readonly Row[] = [];

  constructor(compute: () => readonly Row[]) {
    this.#compute = compute;
    this.#take(compute());
  }

  refresh(): void {
    const before = this.#shown;
    const topBefore = this.#top.map((row) => row.id).join('\n');
    this.#take(this.#compute());
    if (topBefore !== this.#top.map((row) => row.id).join('\n')) {
      this.#changed.fire(undefined);
      return;
    }
    const different = [...this.#shown.values()].filter(({ row, looks }) => before.get(row.id)?.looks !== looks).flatMap(({ row }) => this.#given.get(row.id) ?? []);
    if (different.length > 0) this.#changed.fire(different);
  }

  getChildren(row?: Row): Row[] {
    return (row === undefined ? this.#top : (this.#shown.get(row.id)?.row ?? row).children).map((child) => this.#give(child));
  }

  getParent(row: Row): Row | undefined {
    const parent = this.#shown.get(row.id)?.parent;
    return parent && this.#give(parent);
  }

  getTreeItem(element: Row): vscode.TreeItem {
    const row = this.#shown.get(element.id)?.row ?? element;
    const item = new vscode.TreeItem(row.label, row.expanded ? vscode.TreeItemCollapsibleState.Expanded : row.children.length === 0 ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed);
    item.id = row.id;
    if (row.description !== undefined) item.description = row.description;
    if (row.tooltip !== undefined) item.tooltip = row.tooltip;
    if (row.context !== undefined) item.contextValue = row.context;
    if (row.icon) item.iconPath = new vscode.ThemeIcon(row.icon.name, row.icon.color === undefined ? undefined : new vscode.ThemeColor(row.icon.color));
    if (row.file !== undefined) {
      item.iconPath = vscode.ThemeIcon.File;
      // Only the name decides on the icon; a scheme of our own keeps other extensions' decorations of real files away.
      item.resourceUri = vscode.Uri.from({ scheme: 'worldtree-row', path: `/${row.file}` });
    }
    item.accessibilityInformation = { label: [row.label, row.description].filter((part) => part !== undefined && part !== '').join(', ') };
    if (row.command !== undefined) item.command = { command: row.command, title: row.label, arguments: [row] };
    return item;
  }

  /** The row of an id, for revealing it. */
  find(id: string): Row | undefined {
    const row = this.#shown.get(id)?.row;
    return row && this.#give(row);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #give(row: Row): Row {
    const given = this.#given.get(row.id);
    if (given) return given;
    this.#given.set(row.id, { ...row });
    return this.#given.get(row.id) ?? row;
  }

  #take(top: readonly Row[]): void {
    const shown = new Map<string, ShownRow>();
    const add = (row: Row, parent: Row | undefined) => {
      shown.set(row.id, { row, parent, looks: looksOf(row) });
      for (const child of row.children) add(child, row);
    };
    for (const row of top) add(row, undefined);
    this.#top = top;
    this.#shown = shown;
    for (const [id, given] of this.#given) {
      const now = shown.get(id)?.row;
      // A command on the row gets what it stands for now, not what it stood for when it was drawn.
      if (now) Object.assign(given, now);
      else this.#given.delete(id);
    }
  }
}

interface ShownRow {
  readonly row: Row;
  readonly parent: Row | undefined;
  readonly looks: string;
}

function looksOf(row: Row): string {
  return JSON.stringify({ ...row, subject: undefined, children: row.children.map((child) => child.id) });
}
