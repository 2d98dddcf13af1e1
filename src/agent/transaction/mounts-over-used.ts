import { dirname } from 'node:path/posix'
import type { HostUnit } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import { HOST_LOCK, HOST_POLICY, KUBELET_CONFIG, KUBELET_UNIT, MANAGED_KUBECONFIG, type StatePaths } from '../paths.ts'
import type { ServiceManager } from '../ports.ts'
import { isRunning } from '../service-state.ts'

/**
 * A mount hides what its directory has: an agent that starts then finds none of what it remembers, and takes its own files for the host's; a
 * kubelet starts with its next restart, and finds no configuration.
 * @throws {AgentError} UnitNotAllowed
 */
export async function refuseMountsOverUsed(
  units: readonly HostUnit[],
  { paths, services }: { readonly paths: StatePaths; readonly services: Pick<ServiceManager, 'show'> },
): Promise<void> {
  for (const { name, enabled, state } of units) {
    const point = mountPoint(name)
    if (point === undefined || !(enabled || state === 'running')) continue
    const hidden = (await usedPlaces({ paths, services })).find((place) => isAt(place, point))
    if (hidden === undefined || isRunning((await services.show(name)).active)) continue
    throw new AgentError(
      `mount "${name}": it would hide "${hidden}", which is in use; mount it before the machine becomes a node, as by its image or cloud-init`,
      { kind: 'validate', reason: 'UnitNotAllowed' },
    )
  }
}

async function usedPlaces({
  paths,
  services,
}: {
  readonly paths: StatePaths
  readonly services: Pick<ServiceManager, 'show'>
}): Promise<string[]> {
  const own = [paths.directory, dirname(HOST_LOCK), dirname(HOST_POLICY)]
  // A machine that has yet to become a node may get its disks first.
  const isNode = isRunning((await services.show(KUBELET_UNIT)).active)
  return isNode ? [...own, dirname(KUBELET_CONFIG), dirname(MANAGED_KUBECONFIG)] : own
}

function isAt(place: string, point: string): boolean {
  return point === '/' || place === point || place.startsWith(`${point}/`)
}

/** systemd takes a mount unit only by the name of its path: `var-lib.mount` is /var/lib, `\x2d` a dash. */
function mountPoint(unit: string): string | undefined {
  const [, escaped] = /^(.+)\.(?:mount|automount)$/.exec(unit) ?? []
  if (escaped === undefined) return undefined
  if (escaped === '-') return '/'
  const path = escaped.replaceAll('-', '/')
  return `/${path.replace(/\\x([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))}`
}
