/** The page of `nodewave dashboard`, while a person follows the documentation in a terminal. */
import type { Browser } from 'playwright-core'
import { check } from '../scenario.ts'
import { openPage } from './watched-page.ts'

/** Milliseconds in which the change must have been seen. */
const PATIENCE = 240_000
const ALL_READY = '2 nodes in 1 pool; all Ready'

/** Until a node of the pool has been seen while it changes, and the pool complete after it. */
export async function watchesChange(browser: Browser, address: string, picture: string): Promise<void> {
  const url = address.replace(/\/#.*/, '')
  await using watched = await openPage(browser, url, { viewport: { width: 980, height: 640 } })
  const { page } = watched
  await page.getByText(ALL_READY).waitFor({ timeout: PATIENCE })
  await page
    .getByRole('slider', { name: /1 (?:Applying|Assigned|Proving)/ })
    .first()
    .waitFor({ timeout: PATIENCE })
  await page.screenshot({ path: picture, fullPage: true })
  await page.getByText(ALL_READY).waitFor({ timeout: PATIENCE })
  watched.assertQuiet()
}

/** A person holds a node, and releases it, by the buttons of the page. */
export async function actsByPage(browser: Browser, address: string, held: () => Promise<string>): Promise<void> {
  const url = address.replace(/\/#.*/, '')
  await using watched = await openPage(browser, url)
  const { page } = watched
  await page.goto(`${url}/${address.slice(address.indexOf('#'))}`)
  await page.reload()
  await page.getByText(/^You act as /).waitFor()
  check('the key is not in the address bar', page.url() === `${url}/`, page.url())
  await page.getByText(ALL_READY).waitFor({ timeout: PATIENCE })
  for (const verb of ['hold', 'release']) {
    await page.getByRole('slider').first().press('Home')
    await page.getByRole('slider').first().press('Enter')
    await page.getByRole('button', { name: new RegExp(`^Run: nodewave ${verb} n\\d$`) }).click()
    const dialog = page.getByRole('dialog', { name: 'Run a command' })
    if (verb === 'hold') await dialog.getByLabel('Reason').fill('a new fan')
    await dialog.getByRole('button', { name: 'Run' }).click()
    await dialog.getByText(verb === 'hold' ? /^1 node held: n\d; a new fan/ : /^1 node released: n\d/).waitFor()
    const found = await held()
    check('the Node says so', (found === 'a new fan') === (verb === 'hold'), found)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
  }
  watched.assertQuiet()
}
