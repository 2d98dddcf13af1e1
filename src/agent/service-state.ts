/** A crash loop shows as `activating`: such a unit is meant to run. */
export function isRunning(active: string): boolean {
  return active === 'active' || active === 'activating'
}
