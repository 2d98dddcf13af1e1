/** The dashboard in Debian's Chromium: drawn in time, moved by a rollout, used by keyboard, and text of others stays text. */
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startDashboard } from '../../../src/dashboard/dashboard-server.ts'
import { startGateway } from '../../../src/dashboard/gateway.ts'
import type { PageAction } from '../../../src/dashboard/page-action.ts'
import { startChromium } from '../browser/chromium.ts'
import { startDemo } from '../browser/demo.ts'
import { largeFleet, MARKUP, ShownFleet, smallFleet } from '../browser/fleets.ts'
import { showsRollout } from '../browser/rollout.ts'
import { assertAccessible, openPage, squares } from '../browser/watched-page.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'dashboard', nodes: [], run: dashboardInChromium }]

const KEY = 'k'.repeat(32)
/** As in src/dashboard/page/squares.js. */
const [CURRENT, APPLYING, WAITING] = ['#2da44e', '#0969da', '#afb8c1']

async function dashboardInChromium({ slot }: Cluster, { part, time, say }: Report): Promise<void> {
  await using chromium = await part('start Chromium', () => startChromium(say))
  const { browser } = chromium
  await part('15,000 nodes', () => largeFleetIsDrawn(browser, time))
  await part('squares change, focus stays', () => squaresChange(browser))
  await part('keyboard', () => keyboardOpensNodes(browser))
  await part('changes of a node', () => changesAreShown(browser))
  await part('plan and timeline', () => planIsShown(browser))
  await part('commands are copied', () => commandsAreCopied(browser))
  await part('commands are run', () => commandsAreRun(browser))
  await part('markup in names', () => markupIsText(browser))
  for (const colorScheme of ['light', 'dark'] as const) await part(colorScheme, () => isAccessible(browser, colorScheme))
  const pictures = process.env.NODEWAVE_E2E_PICTURES ?? slot.dir
  await part('a rollout of the demo', async () => {
    await using demo = await startDemo()
    await showsRollout(browser, demo.url, join(pictures, 'dashboard.png'))
  })
}

async function largeFleetIsDrawn(browser: Browser, time: Report['time']): Promise<void> {
  const fleet = new ShownFleet(largeFleet(15_000, 200))
  await using dashboard = await startDashboard({ port: 0, source: fleet.source })
  await using watched = await openPage(browser, `http://127.0.0.1:${dashboard.port}`)
  const { page } = watched
  await page.getByText('15000 nodes in 15 pools; 15 not Ready').waitFor()
  fleet.show(largeFleet(15_000, 230))
  await page.getByText('RollingOut, 230 of 1000 nodes').first().waitFor()
  await page.waitForFunction('globalThis.painted.some(({ event }) => event === "changes")')
  for (const { event, at, took } of await watched.painted()) {
    if (event === 'fleet') time('15,000 nodes: from the request to the first picture', at)
    time(`15,000 nodes: from the event "${event}" to the picture`, took)
  }
  watched.assertQuiet()
}

async function squaresChange(browser: Browser): Promise<void> {
  const fleet = new ShownFleet(smallFleet('', ['Current', 'Applying', 'Waiting']))
  await using dashboard = await startDashboard({ port: 0, source: fleet.source })
  await using watched = await openPage(browser, `http://127.0.0.1:${dashboard.port}`)
  const { page } = watched
  const rest = page.getByRole('slider', { name: /^rest: 1 Applying, 1 Waiting/ })
  await rest.waitFor()
  check('each node has the colour of its phase', isSame(await squares(page, /^rest/, 2), [APPLYING, WAITING]))
  await page.getByText('Recent rollouts').click()
  await page.getByRole('slider', { name: /^canary/ }).focus()
  fleet.show(smallFleet('', ['Current', 'Current', 'Applying']))
  await page.getByRole('slider', { name: /^rest: 1 Current, 1 Applying/ }).waitFor()
  const after = await squares(page, /^rest/, 2)
  check('a square changes with its node', isSame(after, [CURRENT, APPLYING]), after)
  check('what has the focus keeps it while the page changes', (await focused(page)).startsWith('canary'), await focused(page))
  check('what was opened stays open', await page.getByRole('columnheader', { name: 'subject' }).isVisible())
  watched.assertQuiet()
}

async function keyboardOpensNodes(browser: Browser): Promise<void> {
  const fleet = new ShownFleet(smallFleet('', ['Current', 'Applying', 'Waiting', 'Waiting']))
  await using dashboard = await startDashboard({ port: 0, source: fleet.source })
  await using watched = await openPage(browser, `http://127.0.0.1:${dashboard.port}`)
  const { page } = watched
  const rest = page.getByRole('slider', { name: /^rest/ })
  await rest.waitFor()
  for (let presses = 0; presses < 10 && !(await focused(page)).startsWith('rest'); presses += 1) await page.keyboard.press('Tab')
  check('the squares are reached by Tab', (await focused(page)).startsWith('rest'), await focused(page))
  for (const [key, value] of [
    ['ArrowRight', 'worker-2: Waiting'],
    ['ArrowRight', 'worker-3: Waiting'],
    ['ArrowRight', 'worker-3: Waiting'],
    ['ArrowLeft', 'worker-2: Waiting'],
    ['Home', 'worker-1: Applying'],
    ['End', 'worker-3: Waiting'],
  ] as const) {
    await page.keyboard.press(key)
    const said = await rest.getAttribute('aria-valuetext')
    check(`${key} chooses ${value}`, said === value, said)
  }
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'worker-3' })
  await dialog.getByText('workers', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  check('the focus is back where it was', (await focused(page)).startsWith('rest'), await focused(page))
  watched.assertQuiet()
}

async function changesAreShown(browser: Browser): Promise<void> {
  const fleet = new ShownFleet(smallFleet('', ['Current', 'Applying', 'Waiting']))
  await using dashboard = await startDashboard({ port: 0, source: fleet.source })
  await using watched = await openPage(browser, `http://127.0.0.1:${dashboard.port}`)
  const { page } = watched
  await page.getByRole('slider', { name: /^rest/ }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'worker-1' })
  const isChanges = 'document.activeElement?.textContent === "What the assigned commit changes"'
  for (let presses = 0; presses < 10 && !(await page.evaluate(isChanges)); presses += 1) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await dialog.getByText('The changes cannot be read now; the page asks again.').waitFor()
  await dialog.getByRole('cell', { name: `flags.node-labels${MARKUP}` }).waitFor()
  check('the page asks again where the controller had other work', await dialog.getByText('bbbbbbbbbbbb on worker-1').isVisible())
  const made = await page.locator('img, script:not([src])').count()
  check('markup in changes makes no element', made === 0, made)
  await assertAccessible(page)
  await page.setViewportSize({ width: 360, height: 700 })
  const wide = await page.evaluate('document.documentElement.scrollWidth')
  check('a phone shows changes without scrolling sideways', wide === 360, wide)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('slider', { name: /^canary/ }).press('Enter')
  const other = page.getByRole('dialog', { name: 'worker-0' })
  await other.waitFor()
  check('another node begins without the changes of the first', (await other.getByRole('cell').count()) === 0)
  watched.assertQuiet()
}

async function planIsShown(browser: Browser): Promise<void> {
  const fleet = new ShownFleet(smallFleet('', ['Current', 'Applying', 'Waiting']))
  await using dashboard = await startDashboard({ port: 0, source: fleet.source })
  await using watched = await openPage(browser, `http://127.0.0.1:${dashboard.port}`)
  const { page } = watched
  const timeline = page.getByRole('img', {
    name: /^Timeline in UTC\. Rollouts: aaaaaaa Running.*Windows: .*Gates: slo after canary Passed/,
  })
  await timeline.waitFor()
  const drawn = await page.locator('.timeline rect').count()
  check('the timeline has a window and two rollouts', drawn === 3, drawn)
  const isPlan = 'document.activeElement?.textContent?.startsWith("Plan of bbbbbbb") ?? false'
  for (let presses = 0; presses < 20 && !(await page.evaluate(isPlan)); presses += 1) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('2 of 3 nodes change, each node is drained; window opens Tue 2026-11-24 22:00 UTC').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'canary' }).getByText('soak 10m').waitFor()
  await page.getByText(`It waits: needs promotion${MARKUP}`).waitFor()
  const made = await page.locator('img, script:not([src])').count()
  check('markup in a plan makes no element', made === 0, made)
  check('what changes is a table', await page.getByRole('cell', { name: 'config.maxPods' }).isVisible())
  watched.assertQuiet()
}

async function commandsAreCopied(browser: Browser): Promise<void> {
  const fleet = new ShownFleet(smallFleet('', ['Current', 'Applying']))
  await using dashboard = await startDashboard({ port: 0, source: fleet.source })
  const permissions = ['clipboard-read', 'clipboard-write']
  await using watched = await openPage(browser, `http://127.0.0.1:${dashboard.port}`, { permissions })
  const { page } = watched
  const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()')
  await page.getByText('Commands').click()
  await page.getByRole('button', { name: 'Copy: nodewave rollback workers' }).click()
  await page.getByText('Copied').waitFor()
  check('the command is in the clipboard', (await copied()) === 'nodewave rollback workers', await copied())
  await page.getByRole('slider', { name: /^rest/ }).press('Enter')
  await page.getByRole('button', { name: 'Copy: nodewave hold worker-1' }).click()
  await page.getByRole('dialog').getByText('Copied').waitFor()
  check('the command about the node is', (await copied()) === 'nodewave hold worker-1', await copied())
  watched.assertQuiet()
}

async function commandsAreRun(browser: Browser): Promise<void> {
  const fleet = new ShownFleet(smallFleet('', ['Current', 'Applying']))
  const acted: PageAction[] = []
  await using dashboard = await startDashboard({ port: 0, source: fleet.source })
  await using gateway = await startGateway({
    ...{ port: 0, key: KEY, session: { user: `grace${MARKUP}`, cluster: 'https://192.0.2.10:6443' } },
    connect: async () => connect(dashboard.port, '127.0.0.1'),
    act: async (action) => {
      acted.push(action)
      return { isDone: acted.length > 1, text: `printed ${acted.length}${MARKUP}` }
    },
  })
  const url = `http://127.0.0.1:${gateway.port}`
  await using watched = await openPage(browser, url)
  const { page } = watched
  await page.getByText('Commands').click()
  check('without the key there is nothing to run', (await page.getByRole('button', { name: /^Run/ }).count()) === 0)
  await page.goto(`${url}/#key=${KEY}`)
  await page.reload()
  await page.getByText(`You act as grace${MARKUP} on https://192.0.2.10:6443`).waitFor()
  check('the key is not in the address bar', page.url() === `${url}/`, page.url())
  await page.getByText('Commands').click()
  await page.getByRole('button', { name: 'Run: nodewave pause workers' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run a command' })
  await dialog.getByLabel('Reason').fill('cooling')
  await assertAccessible(page)
  for (const times of [1, 2]) {
    await dialog.getByRole('button', { name: 'Run' }).click()
    await dialog.getByText(`printed ${times}${MARKUP}`).waitFor()
  }
  check('what was refused can be run again, what is done cannot', await dialog.getByRole('button', { name: 'Run' }).isDisabled())
  check('the reason went along', acted[0]?.reason === 'cooling' && acted[0].words.join(' ') === 'pause workers', acted)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run: nodewave retry workers' }).click()
  check('a command without a reason asks for none', !(await dialog.getByLabel('Reason').isVisible()))
  watched.assertQuiet()
}

async function markupIsText(browser: Browser): Promise<void> {
  const fleet = new ShownFleet(smallFleet(MARKUP, ['Current', 'Failed', 'Waiting']))
  await using dashboard = await startDashboard({ port: 0, source: fleet.source })
  await using watched = await openPage(browser, `http://127.0.0.1:${dashboard.port}`)
  const { page } = watched
  await page.getByRole('heading', { name: `workers${MARKUP}` }).waitFor()
  await page.getByText(`worker-1: Unhealthy: ${MARKUP}`).waitFor()
  await page.getByRole('slider', { name: /^rest/ }).press('Enter')
  await page.getByRole('dialog').getByText(`worker-1 ${MARKUP}`).waitFor()
  const made = await page.locator('img, script:not([src])').count()
  check('markup in names, subjects and messages makes no element', made === 0, made)
  watched.assertQuiet()
}

async function isAccessible(browser: Browser, colorScheme: 'light' | 'dark'): Promise<void> {
  const fleet = new ShownFleet(smallFleet('', ['Current', 'Failed', 'Waiting']))
  await using dashboard = await startDashboard({ port: 0, source: fleet.source })
  await using watched = await openPage(browser, `http://127.0.0.1:${dashboard.port}`, { colorScheme })
  const { page } = watched
  await page.getByText('Recent rollouts').click()
  await page.getByText('Commands').click()
  await page.getByText('Plan of bbbbbbb').click()
  await page.getByText('2 of 3 nodes change').waitFor()
  await assertAccessible(page)
  const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor')
  check(`the page is ${colorScheme}`, ground === { light: 'rgb(255, 255, 255)', dark: 'rgb(18, 22, 28)' }[colorScheme], ground)
  await page.getByRole('slider', { name: /^rest/ }).press('Enter')
  await page.getByRole('dialog').getByText('workers', { exact: true }).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 360, height: 700 })
  const wide = await page.evaluate('document.documentElement.scrollWidth')
  check('a phone shows it without scrolling sideways', wide === 360, wide)
  watched.assertQuiet()
}

/** What the element with the focus is called. */
function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement?.ariaLabel ?? document.activeElement?.tagName ?? ""')
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.join() === other.join()
}
