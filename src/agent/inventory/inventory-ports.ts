import type { AgentPorts } from '../ports.ts'

export interface InventoryPorts extends Pick<AgentPorts, 'files' | 'services' | 'packages' | 'kubelet'> {
  readonly kernel: Pick<AgentPorts['kernel'], 'commandLine' | 'swaps'>
  /** Arguments of a process, the program first; empty when nobody may know. */
  readonly commandOf: (pid: number) => Promise<string[]>
  /** Whether `swap: off` of a HostProfile would find nothing to change. */
  readonly isSwapOff: () => Promise<boolean>
}

export interface InventoryOptions {
  readonly node: string
  readonly arch: string
  readonly layout: 'auto' | 'kubeadm' | 'env'
  readonly environmentFile: string
}
