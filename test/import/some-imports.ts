import * as z from 'zod/mini'
import { isAlreadySo } from '../../src/agent/inventory/already-so.ts'
import type { InventoryOptions } from '../../src/agent/inventory/inventory-ports.ts'
import { readInventory } from '../../src/agent/inventory/read-inventory.ts'
import { statePaths } from '../../src/agent/paths.ts'
import { buildRepository } from '../../src/import/build-repository.ts'
import type { ApiNodeFacts } from '../../src/import/subject.ts'
import { type HostInventory, hostInventory } from '../../src/protocol/host-inventory.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import type { MachineOptions } from '../agent/support/machine.ts'
import { Machine } from '../agent/support/machine.ts'
import { modelOf } from '../repo/fleets.ts'

/** From a host through its inventory and the repository back to the host: the agent finds nothing to change. */

export const OPTIONS: InventoryOptions = {
  node: 'worker-1',
  arch: 'amd64',
  layout: 'auto',
  environmentFile: '/etc/kubernetes/kubelet.env',
}
export const NODE: ApiNodeFacts = {
  name: 'worker-1',
  labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': 'worker-1' },
  taints: [],
  version: '1.35.4',
  internalIP: '192.0.2.11',
}

export async function inventoryOf({ host, node }: Machine, commandLine?: string): Promise<HostInventory> {
  const { ports: hands } = host.process(node)
  const { files, services, packages, kubelet, kernel: own } = hands
  const place = { files, arch: 'amd64', paths: statePaths(), manager: services.name }
  const kernel = { swaps: () => own.swaps(), commandLine: async () => commandLine ?? (await own.commandLine()) }
  const isSwapOff = () => isAlreadySo({ section: 'swap', value: 'off' }, { host: hands, place })
  const ports = { files, services, packages, kubelet, kernel, commandOf: async () => [], isSwapOff }
  return z.parse(hostInventory, JSON.parse(JSON.stringify(await readInventory(ports, OPTIONS))))
}

export async function aMachine(options: MachineOptions, files: Readonly<Record<string, string>>): Promise<Machine> {
  const machine = new Machine({ version: '1.35.4', ...options })
  for (const [path, text] of Object.entries(files)) machine.host.files.put(path, text)
  await machine.clock.advance(3_600_000)
  return machine
}

/** Imports the host, and lets the agent apply what was written. @returns what was written */
export async function importAndApply(machine: Machine): Promise<Readonly<Record<string, string>>> {
  const { files } = buildRepository([{ node: NODE, inventory: await inventoryOf(machine) }])
  machine.start()
  await machine.untilDigest(machine.assign(contentOf(files)), 'Applied')
  return files
}

export function contentOf(files: Readonly<Record<string, string>>) {
  const result = createRenderer(modelOf(files)).render('workers', { ...NODE, arch: 'amd64', osImage: '' })
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('; '))
  return result.content
}

export async function stateOf(machine: Machine) {
  const { mainPid } = await machine.host.services.show('kubelet.service')
  return { files: machine.hostFiles(), mainPid }
}
