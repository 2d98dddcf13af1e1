/** A page that is open in the browser, and what went wrong on it. */
import axe, { type AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { check } from '../scenario.ts'

export interface WatchedPage extends AsyncDisposable {
  readonly page: Page
  /** Milliseconds for each event of the stream that the page has drawn: since the page was opened, and since the event arrived. */
  painted(): Promise<readonly Painted[]>
  /** @throws when a request left the address, or the page or its console said that something is wrong */
  assertQuiet(): void
}

export interface Painted {
  readonly event: string
  readonly at: number
  readonly took: number
}

/** The page draws in the next frame after an event; the task after that frame comes when it is painted. */
const MEASURE = `globalThis.painted = []
const add = EventSource.prototype.addEventListener
EventSource.prototype.addEventListener = function (event, listener) {
  return add.call(this, event, (message) => {
    const arrived = performance.now()
    listener(message)
    requestAnimationFrame(() => setTimeout(() => {
      const at = performance.now()
      globalThis.painted.push({ event, at, took: at - arrived })
    }))
  })
}`

export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options })
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(`the console says: ${message.text()}`)
  })
  page.on('pageerror', (error) => wrong.push(`the page fails: ${error.message}`))
  page.on('dialog', (dialog) => wrong.push(`the page asks: ${dialog.message()}`))
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${url}/`) || request.url() === 'data:,'
    if (!isOwn) wrong.push(`the page asks another address: ${request.url()}`)
  })
  await page.addInitScript(MEASURE)
  await page.goto(url)
  return {
    page,
    painted: () => page.evaluate('globalThis.painted'),
    assertQuiet: () => check('the page asks no other address and reports no error', wrong.length === 0, wrong),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** @throws with the elements that people with a screen reader, or with weak eyes, cannot use, as axe finds them */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run(document)')) as AxeResults
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
  check('axe finds nothing that keeps people out', found.length === 0, found)
}

/** Colours of the squares of a wave as they stand on the canvas, in the order of its nodes. */
export async function squares(page: Page, label: RegExp, count: number): Promise<readonly string[]> {
  return page.getByRole('slider', { name: label }).first().evaluate(readSquares, count)
}

/** Runs in the page. */
function readSquares(element: unknown, count: number): string[] {
  const canvas = element as {
    width: number
    height: number
    getContext(kind: '2d'): { getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray } }
  }
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const size = 16
  const columns = Math.floor(canvas.width / size)
  return Array.from({ length: count }, (_, index) => {
    const [x, y] = [(index % columns) * size + size / 2, Math.floor(index / columns) * size + size / 2]
    const at = (y * canvas.width + x) * 4
    return `#${[...data.slice(at, at + 3)].map((part) => part.toString(16).padStart(2, '0')).join('')}`
  })
}
