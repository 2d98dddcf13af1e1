/** A Kubernetes node: a machine with a kubelet on it, and what scenarios ask of one. */
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type LayerFile, putFile } from '../build/layers.ts'
import type { RunOptions } from '../exec.ts'
import type { ApiClient } from './api-client.ts'
import type { KubeletLayout } from './kubelet-layout.ts'
import type { Machine } from './machine.ts'
import type { SharedDirectory } from './node-root.ts'
import { waitUntil } from './wait.ts'

export interface UnitState {
  readonly ActiveState: string
  readonly SubState: string
  readonly MainPID: string
  readonly NRestarts: string
  readonly ExecMainStatus: string
  readonly ExecMainStartTimestamp: string
  /** Microseconds since the machine was booted; a node has the machine's clock. */
  readonly ExecMainStartTimestampMonotonic: string
  readonly ActiveEnterTimestampMonotonic: string
}

export interface ApiNode {
  readonly metadata: {
    readonly name: string
    readonly resourceVersion: string
    readonly uid?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
  }
  readonly spec: { readonly unschedulable?: boolean }
  readonly status: {
    /** Missing before a kubelet has reported. */
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly lastTransitionTime: string }[]
    readonly nodeInfo: { readonly kubeletVersion: string; readonly bootID: string }
    readonly capacity: Readonly<Record<string, string>>
  }
}

export interface Node extends Machine {
  readonly name: string
  readonly address: string
  readonly layout: KubeletLayout
  /** A directory that machine and node both see. */
  readonly shared: SharedDirectory
  /** Where the machine sees the node's files, for those that are looked at too often to start a program each time. Not what is mounted in it. */
  readonly root: string
  /** The trimmed output of a program in the node. */
  output(command: readonly string[], options?: RunOptions): Promise<string>
  /** Write a file into the running node; `rename` is what makes it appear, as every careful writer does it. */
  write(file: LayerFile): Promise<void>
  read(path: string): Promise<string>
  unit(name?: string): Promise<UnitState>
  /** The last lines that a unit wrote. */
  journal(name?: string, lines?: number): Promise<string>
  /** As the API server sees it. */
  get(): Promise<ApiNode>
  waitReady(): Promise<void>
  waitVersion(version: string): Promise<void>
}

export interface NodeOptions {
  readonly name: string
  readonly address: string
  readonly layout: KubeletLayout
  readonly machine: Machine
  readonly api: ApiClient
  readonly shared: SharedDirectory
  readonly root: string
}

const unitProperties = [
  'ActiveState',
  'SubState',
  'MainPID',
  'NRestarts',
  'ExecMainStatus',
  'ExecMainStartTimestamp',
  'ExecMainStartTimestampMonotonic',
  'ActiveEnterTimestampMonotonic',
]

export function createNode({ name, address, layout, machine, api, shared, root }: NodeOptions): Node {
  const output = async (command: readonly string[], options?: RunOptions) => (await machine.exec(command, options)).stdout.trim()
  const get = () => api.ask<ApiNode>(`/api/v1/nodes/${name}`)
  return {
    ...machine,
    name,
    address,
    layout,
    shared,
    root,
    output,
    get,
    async write(file) {
      const passed = `${randomUUID()}-${basename(file.path)}`
      await putFile(shared.outside, { ...file, path: passed })
      // A kubelet takes every file of its manifests for a pod, but for those that begin with a dot.
      const beside = join(dirname(file.path), `.${passed}`)
      await machine.exec(['mkdir', '-p', dirname(file.path)])
      await machine.exec(['cp', '--preserve=mode', join(shared.inside, passed), beside])
      await machine.exec(['mv', beside, file.path])
      await machine.exec(['rm', join(shared.inside, passed)])
    },
    read: async (path) => (await machine.exec(['cat', path])).stdout,
    async unit(unit = 'kubelet') {
      const shown = await output(['systemctl', 'show', unit, `--property=${unitProperties.join(',')}`])
      return Object.fromEntries(shown.split('\n').map((line) => line.split(/=(.*)/s, 2))) as unknown as UnitState
    },
    journal: (unit = 'kubelet', lines = 20) => output(['journalctl', '-u', unit, '-n', String(lines), '--no-pager', '-o', 'cat']),
    async waitReady() {
      const ready = async () =>
        ((await get()).status.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True')
      await waitUntil(ready, { for: `node "${name}" to be Ready` })
    },
    async waitVersion(version) {
      const there = async () => (await get()).status.nodeInfo.kubeletVersion === `v${version}`
      await waitUntil(there, { for: `node "${name}" to report kubelet ${version}` })
    },
  }
}

/** Keep what a node's units said, for the people who ask why a scenario failed. */
export async function saveJournal(node: Node, dir: string): Promise<void> {
  await mkdir(dir, { recursive: true })
  await putFile(dir, { path: `${node.name}-journal.txt`, content: await node.output(['journalctl', '--no-pager']) })
}
