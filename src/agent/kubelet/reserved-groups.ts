import type { Json } from '../../protocol/digest.ts'
import { isJsonObject } from '../../protocol/merge-patch.ts'
import { AgentError } from '../agent-error.ts'
import type { GroupUse } from '../kernel.ts'
import type { AgentPorts } from '../ports.ts'
import { KubeletDropIns } from './config-drop-ins.ts'
import { flagValue } from './kubelet-flags.ts'
import { bytesIn } from './quantity-bytes.ts'
import type { KubeletSettings } from './state-files.ts'

/** A control group that the kubelet limits to what is reserved for it. */
export interface ReservedGroup {
  /** `/system.slice` */
  readonly group: string
  /** Field of the reservation. */
  readonly field: string
  readonly memory: number | undefined
  readonly processes: number | undefined
}

const RESERVATIONS = [
  { name: 'system-reserved', field: 'systemReserved' },
  { name: 'kube-reserved', field: 'kubeReserved' },
] as const

/** Pure. */
export function reservedGroups({ document, args }: KubeletSettings): ReservedGroup[] {
  const stated = flagValue(args, 'enforce-node-allocatable')?.split(',') ?? document.enforceNodeAllocatable
  const enforced: readonly Json[] = Array.isArray(stated) ? stated : []
  return RESERVATIONS.filter(({ name }) => enforced.includes(name)).flatMap(({ name, field }) => {
    const group = flagValue(args, `${name}-cgroup`) ?? document[`${field}Cgroup`]
    if (typeof group !== 'string' || group === '') return []
    const amount = amountsOf(flagValue(args, name), document[field])
    return [{ group, field, memory: bytesIn(amount('memory')), processes: bytesIn(amount('pid')) }]
  })
}

/** `memory=1Gi,pid=1000` as a flag; it takes the place of the field. */
function amountsOf(flag: string | undefined, field: Json | undefined): (resource: string) => Json | undefined {
  const stated = flag?.split(',').map((part): [string, string] => [part.split('=')[0] ?? '', part.split('=')[1] ?? ''])
  const amounts = new Map<string, Json>(stated ?? (isJsonObject(field) ? Object.entries(field) : []))
  return (resource) => amounts.get(resource)
}

/**
 * The kernel kills at once what a group has beyond its new limit, and starts no further processes beyond it: the runtime, the kubelet and the
 * agent are in such groups. The limit stays when the kubelet that set it is gone, so nobody could undo it.
 * @throws {AgentError} ReservedBelowUse
 */
export async function refuseReservedBelowUse(
  kubelet: KubeletSettings,
  { files, kernel }: Pick<AgentPorts, 'files' | 'kernel'>,
): Promise<void> {
  const settings = { args: kubelet.args, document: await new KubeletDropIns(files).over(kubelet) }
  for (const reserved of reservedGroups(settings)) {
    const why = excess(reserved, await kernel.groupUse(reserved.group))
    if (why === undefined) continue
    throw new AgentError(
      `limit the control group "${reserved.group}" by ${reserved.field}: ${why}, and the kernel would end them; reserve more, or take it out of enforceNodeAllocatable`,
      { kind: 'validate', reason: 'ReservedBelowUse' },
    )
  }
}

/** Pure. */
export function excess({ memory, processes }: ReservedGroup, use: GroupUse | undefined): string | undefined {
  if (memory !== undefined && use?.memory !== undefined && use.memory > memory)
    return `its processes use ${mebibytes(use.memory)} of memory, and ${mebibytes(memory)} are reserved`
  if (processes !== undefined && use?.processes !== undefined && use.processes > processes)
    return `it has ${use.processes} processes and threads, and ${processes} are reserved`
  return undefined
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`
}
