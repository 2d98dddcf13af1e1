import type { RebootNeed } from '../../protocol/agent-status.ts'
import { packageSubject } from '../../protocol/names.ts'
import { REBOOT_FLAGS, REBOOT_PACKAGES } from '../paths.ts'
import type { AgentPorts } from '../ports.ts'

const MOST_PACKAGES = 20

/**
 * What the host says by the files that package managers leave in /run, which a reboot empties: no process is started for it.
 * @param awaiting packages that say the same
 */
export async function hostRebootNeed(
  awaiting: readonly string[],
  { files, services }: Pick<AgentPorts, 'files' | 'services'>,
): Promise<RebootNeed | undefined> {
  const because: string[] = []
  for (const flag of REBOOT_FLAGS) if ((await files.stat(flag)) !== undefined) because.push(flag)
  because.push(...awaiting.slice(0, MOST_PACKAGES).map(packageSubject))
  if (because.length === 0) return undefined
  const packages = Buffer.from((await files.read(REBOOT_PACKAGES)) ?? []).toString()
  const names = [...new Set(packages.split('\n').filter((name) => name !== ''))].slice(0, MOST_PACKAGES)
  return { boot: await services.bootId(), because: [...because, ...names] }
}

/** Of a manager that leaves no such file. @returns `before` when it cannot be asked now */
export async function packagesAwaitingReboot(
  before: readonly string[],
  { packages, kernel }: Pick<AgentPorts, 'packages' | 'kernel'>,
): Promise<readonly string[]> {
  return packages.awaitingReboot(await kernel.startedAt()).catch(() => before)
}

export function isSameNeed(a: RebootNeed | undefined, b: RebootNeed | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
