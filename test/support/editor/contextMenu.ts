import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { visibleText } from './visibleText.ts';

/** Chooses from the menu that is open; `path` leads through submenus. */
export async function chooseInMenu(page: Page, path: string | readonly string[]): Promise<void> {
  const labels = typeof path === 'string' ? [path] : path;
  for (const [depth, label] of labels.entries()) {
    const item = await eventually(`the menu item "${label}"`, () => menuItem(page, label), { seen: async () => (await menuLabels(page)).join(' | ') });
    if (depth < labels.length - 1) {
      await item.hover();
      await item.press('ArrowRight');
    } else {
      // A menu that has just opened takes the release of the button that opened it for a click elsewhere.
      await item.hover();
      await item.click({ force: true });
    }
  }
  await page.locator('.monaco-menu').first().waitFor({ state: 'detached' });
}

/** Whether an item of the open menu can be chosen. Waits until it is there. */
export async function isEnabled(page: Page, label: string): Promise<boolean> {
  const item = await eventually(`the menu item "${label}"`, () => menuItem(page, label), { seen: async () => (await menuLabels(page)).join(' | ') });
  return await item.locator('xpath=ancestor-or-self::*[contains(@class, "disabled")]').count() === 0;
}

/** The labels of all open menus. */
async function menuLabels(page: Page): Promise<readonly string[]> {
  const texts = await page.locator('.monaco-menu .action-label:not(.separator)').allTextContents();
  return texts.map(visibleText).filter((text) => text !== '');
}

async function menuItem(page: Page, label: string): Promise<Locator | undefined> {
  const items = page.locator('.monaco-menu .action-menu-item, .monaco-menu .action-label:not(.separator)');
  for (const item of await items.all()) {
    const text = visibleText(await item.locator('.action-label').or(item).first().textContent());
    if (text === label) return item;
  }
  return undefined;
}
