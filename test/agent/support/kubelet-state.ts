import { stateText } from '../../../src/sim/host/kubelet-states.ts'
import type { Machine } from './machine.ts'

export const CPU_STATE = '/var/lib/kubelet/cpu_manager_state'
export const MEMORY_STATE = '/var/lib/kubelet/memory_manager_state'
export const CPU_NONE = stateText('none', { defaultCpuSet: '' })

/** A kubelet that has started before, and has written what its managers remember. */
export function withKubeletStates({ host }: Machine): void {
  host.files.put(CPU_STATE, CPU_NONE, { mode: 0o600 })
  host.files.put(MEMORY_STATE, stateText('None', { machineState: {} }), { mode: 0o600 })
  void host.services.restart('kubelet.service')
}
