import type { Json } from '../../protocol/digest.ts'
import { isJsonObject, type JsonObject } from '../../protocol/merge-patch.ts'
import { cpusIn } from './cpu-set.ts'
import { flagValue } from './kubelet-flags.ts'
import { bytesIn } from './quantity-bytes.ts'

/** What the kubelet is started with: its configuration with all drop-ins, and its arguments, which win. */
export interface KubeletSettings {
  readonly document: JsonObject
  readonly args: readonly string[]
}

/** A manager of the kubelet that keeps its state in a file. A kubelet does not start over a state that contradicts its configuration. */
interface Manager {
  readonly file: string
  /** Why the kubelet refuses this state; undefined when it does not, or nothing shows whether it does. */
  refusal(state: JsonObject, kubelet: KubeletSettings): string | undefined
}

const MANAGERS: readonly Manager[] = [
  { file: 'cpu_manager_state', refusal: cpuRefusal },
  { file: 'memory_manager_state', refusal: memoryRefusal },
]

/** Where the state files of this kubelet are. */
export function stateFilesOf({ args }: Pick<KubeletSettings, 'args'>): string[] {
  const root = (flagValue(args, 'root-dir') || '/var/lib/kubelet').replace(/\/+$/, '')
  return root.startsWith('/') ? MANAGERS.map(({ file }) => `${root}/${file}`) : []
}

/** What a state file says against starting this kubelet. */
export interface Refusal {
  readonly because: string
  /** Containers have CPUs or memory of their own by it. */
  readonly isInUse: boolean
}

/** Pure. @returns undefined when the kubelet starts over it, as far as the text shows. */
export function refusalOf(
  path: string,
  { text, kubelet }: { readonly text: string; readonly kubelet: KubeletSettings },
): Refusal | undefined {
  const state = stateIn(text)
  const manager = MANAGERS.find(({ file }) => path.endsWith(`/${file}`))
  const because = state && manager?.refusal(state, kubelet)
  if (state === undefined || because === undefined) return undefined
  return { because, isInUse: [state.entries, state.podEntries].some((entries) => entriesOf(entries).length > 0) }
}

/** Another program may have written it, or the power failed: then it is for the kubelet to complain. */
function stateIn(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text)
    return isJsonObject(value) && typeof value.policyName === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function cpuRefusal(state: JsonObject, kubelet: KubeletSettings): string | undefined {
  const policy = textOf(kubelet, 'cpuManagerPolicy', 'cpu-manager-policy') || 'none'
  if (state.policyName !== policy) return otherPolicy(state, policy)
  const reserved = cpusIn(textOf(kubelet, 'reservedSystemCPUs', 'reserved-cpus'))
  const shared = cpusIn(String(state.defaultCpuSet ?? ''))
  const own = ownCpus(state)
  // An amount shows not which CPUs the kubelet reserves; a set that is empty is still to be filled.
  if (policy !== 'static' || !reserved?.size || !shared?.size) return undefined
  // With the strict reservation no pod has them; without it, all pods share them.
  const isKept = isStrict(kubelet) ? (cpu: number) => !shared.has(cpu) && !own.has(cpu) : (cpu: number) => shared.has(cpu)
  return [...reserved].every(isKept)
    ? undefined
    : `CPUs "${textOf(kubelet, 'reservedSystemCPUs', 'reserved-cpus')}" are reserved, and pods share "${state.defaultCpuSet}"`
}

/** CPUs that containers have of their own. */
function ownCpus({ entries }: JsonObject): ReadonlySet<number> {
  const lists = entriesOf(entries).flatMap(([, containers]) => entriesOf(containers).map(([, list]) => String(list)))
  return cpusIn(lists.join(',')) ?? new Set()
}

function isStrict({ document, args }: KubeletSettings): boolean {
  const options = document.cpuManagerPolicyOptions
  const stated = flagValue(args, 'cpu-manager-policy-options')
  if (stated !== undefined) return stated.split(',').includes('strict-cpu-reservation=true')
  return isJsonObject(options) && String(options['strict-cpu-reservation']) === 'true'
}

function memoryRefusal(state: JsonObject, kubelet: KubeletSettings): string | undefined {
  const policy = textOf(kubelet, 'memoryManagerPolicy', 'memory-manager-policy') || 'None'
  if (state.policyName !== policy) return otherPolicy(state, policy)
  if (policy !== 'Static' || flagValue(kubelet.args, 'reserved-memory') !== undefined) return undefined
  const kept = reservedIn(state)
  const wanted = reservedBy(kubelet.document.reservedMemory)
  if (wanted === undefined) return undefined
  const other = [...new Set([...kept.keys(), ...wanted.keys()])].find((key) => (kept.get(key) ?? 0) !== (wanted.get(key) ?? 0))
  return other && `${kept.get(other) ?? 0} bytes are reserved of ${other}, and ${wanted.get(other) ?? 0} by the configuration`
}

/** Bytes that the system keeps, by NUMA node and kind of memory. */
function reservedIn({ machineState }: JsonObject): ReadonlyMap<string, number> {
  return new Map(
    entriesOf(machineState).flatMap(([node, known]) =>
      entriesOf(isJsonObject(known) ? known.memoryMap : undefined).map(([kind, table]): [string, number] => [
        nameOf(node, kind),
        Number(isJsonObject(table) ? table.systemReserved : 0),
      ]),
    ),
  )
}

/** @returns undefined when an amount is written in a way that is not understood */
function reservedBy(reservedMemory: Json | undefined): ReadonlyMap<string, number> | undefined {
  const reserved = new Map<string, number>()
  for (const entry of Array.isArray(reservedMemory) ? reservedMemory : []) {
    const { numaNode = 0, limits } = isJsonObject(entry) ? entry : {}
    for (const [kind, quantity] of entriesOf(limits)) {
      const bytes = bytesIn(quantity)
      if (bytes === undefined) return undefined
      reserved.set(nameOf(String(numaNode), kind), bytes)
    }
  }
  return reserved
}

function nameOf(node: string, kind: string): string {
  return `${kind} of NUMA node ${node}`
}

function entriesOf(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : []
}

function otherPolicy({ policyName }: JsonObject, policy: string): string {
  return `its policy is "${policyName}", and that of the configuration "${policy}"`
}

function textOf({ document, args }: KubeletSettings, field: string, flag: string): string {
  const value = flagValue(args, flag) ?? document[field]
  return typeof value === 'string' ? value : ''
}
