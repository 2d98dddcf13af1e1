import type { ServiceState } from './ports.ts'

/** Whether it is to be found running later, too: a job is not. */
export function staysRunning({ active, isJob = false }: Pick<ServiceState, 'active' | 'isJob'>): boolean {
  return isRunning(active) && !isJob
}

/** A crash loop shows as `activating`: such a unit is meant to run. */
export function isRunning(active: string): boolean {
  return active === 'active' || active === 'activating'
}
