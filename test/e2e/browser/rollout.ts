/** A rollout as the page shows it. */
import type { Browser } from 'playwright-core'
import { openPage } from './watched-page.ts'

/** Milliseconds: the demo begins its first rollout within seconds, and ends it within half a minute, on a machine that is not busy. */
const PATIENCE = 180_000

/** @param picture file of a picture that is taken in the middle of the rollout */
export async function showsRollout(browser: Browser, url: string, picture: string): Promise<void> {
  await using watched = await openPage(browser, url, { viewport: { width: 980, height: 800 } })
  const { page } = watched
  const workers = page.locator('.pool', { has: page.getByRole('heading', { name: 'workers' }) })
  const applying = page.locator('.wave.Open', { hasText: 'early' }).getByText(/Applying/)
  await workers
    .filter({ has: applying })
    .locator('header p', { hasText: /^RollingOut/ })
    .waitFor({ timeout: PATIENCE })
  await page.screenshot({ path: picture, fullPage: true })
  await workers.getByText('Completed, 33 of 33 nodes').waitFor({ timeout: PATIENCE })
  await page.getByText('40 nodes in 3 pools; all Ready').waitFor({ timeout: PATIENCE })
  watched.assertQuiet()
}
