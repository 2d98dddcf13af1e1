import { parse } from 'yaml'
import type { KubeletLaunch } from './kubelet-verdict.ts'
import type { MemoryFiles } from './memory-files.ts'

const MANAGERS = [
  { path: '/var/lib/kubelet/cpu_manager_state', field: 'cpuManagerPolicy', none: 'none', rest: { defaultCpuSet: '' } },
  { path: '/var/lib/kubelet/memory_manager_state', field: 'memoryManagerPolicy', none: 'None', rest: { machineState: {} } },
] as const

/** What a kubelet keeps of its CPU manager and memory manager, on hosts that have had such a file. */
export class KubeletStates {
  readonly #files: MemoryFiles
  readonly #seen = new Set<string>()

  constructor(files: MemoryFiles) {
    this.#files = files
  }

  /** Why a kubelet dies over a state that it finds; one that does not writes what is missing. */
  refusal({ config }: KubeletLaunch): string | undefined {
    for (const { path } of MANAGERS) if (this.#files.text(path) !== undefined) this.#seen.add(path)
    const managers = MANAGERS.filter(({ path }) => this.#seen.has(path))
    const document: Readonly<Record<string, unknown>> = managers.length === 0 ? {} : (parse(config ?? '') ?? {})
    for (const { path, field, none, rest } of managers) {
      const policy = String(document[field] ?? none)
      const text = this.#files.text(path)
      if (text === undefined) this.#files.put(path, stateText(policy, rest), { mode: 0o600 })
      else if (JSON.parse(text).policyName !== policy)
        return `could not restore state from checkpoint: configured policy "${policy}" differs from state checkpoint policy "${JSON.parse(text).policyName}", please drain this node and delete the checkpoint file "${path}" before restarting Kubelet`
    }
    return undefined
  }
}

/** As a kubelet writes it when no container has anything of its own. */
export function stateText(policyName: string, rest: object): string {
  return JSON.stringify({ policyName, ...rest, checksum: 1 })
}
